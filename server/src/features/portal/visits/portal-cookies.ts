import { loopbackHosts } from '../../../core/network/loopback-hosts.ts';
import { Cookie } from '../../../http/connections/cookie.ts';

/** The maximum lifetime of a session. The server may end it sooner. */
const sessionSeconds = 12 * 60 * 60;
const journeySeconds = 10 * 60;

/** The cookies of the portal. */
export interface PortalCookies {
  readonly session: Cookie;
  /**
   * The cookie for the round trip to a provider. Unlike the session cookie, it is sent when the provider redirects the
   * browser back.
   */
  readonly journey: Cookie;
}

/** Creates the cookies. Only `strongroom dev`, on the machine itself and without TLS, has cookies that are not secure. */
export function createPortalCookies(publicUrl: string, options: { readonly isDevelopment: boolean }): PortalCookies {
  const { protocol, hostname } = new URL(publicUrl);
  const isSecure = !(options.isDevelopment && protocol === 'http:' && loopbackHosts.includes(hostname));
  return {
    session: new Cookie({ name: 'strongroom_session', maxAgeSeconds: sessionSeconds, sameSite: 'Strict', isSecure }),
    journey: new Cookie({ name: 'strongroom_journey', maxAgeSeconds: journeySeconds, sameSite: 'Lax', isSecure }),
  };
}
