/**
 * A scheme, a host and optionally a port. Origins were validated when they were stored, but are checked again because
 * they become part of a policy here.
 */
const bareOrigin = /^https?:\/\/(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;

/** Browser features that a field does not need. It only needs to copy values. */
const deniedFeatures = [
  'accelerometer',
  'autoplay',
  'camera',
  'clipboard-read',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'gamepad',
  'geolocation',
  'gyroscope',
  'hid',
  'identity-credentials-get',
  'idle-detection',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'otp-credentials',
  'payment',
  'picture-in-picture',
  'publickey-credentials-create',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'storage-access',
  'usb',
  'window-management',
  'xr-spatial-tracking',
];

/**
 * Returns the headers that isolate a frame from the page around it. Only pages of the given origins can show the frame.
 */
export function frameHeaders(origins: readonly string[]): Readonly<Record<string, string>> {
  return {
    'content-security-policy': framePolicy(origins),
    'permissions-policy': [...deniedFeatures.map((name) => `${name}=()`), 'clipboard-write=(self)'].join(', '),
    'origin-agent-cluster': '?1',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'cross-origin',
    'cache-control': 'no-store',
  };
}

function framePolicy(origins: readonly string[]): string {
  const ancestors = origins.filter((origin) => bareOrigin.test(origin));
  return [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self'`,
    `connect-src 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors ${ancestors.length === 0 ? `'none'` : ancestors.join(' ')}`,
    `require-trusted-types-for 'script'`,
    `trusted-types 'none'`,
  ].join('; ');
}
