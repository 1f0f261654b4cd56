import { RefusedCall } from './refused-call.ts';

const withinMs = 35_000;
const sizeMax = 8 * 1024 * 1024;

export interface VaultRequest {
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Defaults to `application/json`. */
  readonly bodyType?: string;
}

export interface VaultResponse {
  readonly status: number;
  readonly isOk: boolean;
  readonly headers: Headers;
  /** The parsed JSON, or the text of any other body. */
  readonly body: unknown;
}

/** Calls the API on the origin of the frames. This code cannot connect to any other origin. */
export async function callVault(request: VaultRequest): Promise<VaultResponse> {
  const { method, path, key, headers = {}, body, bodyType = 'application/json' } = request;
  requireWithoutDots(path);
  const response = await fetch(`/api${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': bodyType }), 'bt-api-key': key },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    credentials: 'omit',
    cache: 'no-store',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
    signal: AbortSignal.timeout(withinMs),
  }).catch(() => {
    throw new RefusedCall('The vault could not be reached.');
  });
  const text = await response.text();
  if (text.length > sizeMax) throw new RefusedCall('The response of the vault is too large for a page.');
  return { status: response.status, isOk: response.ok, headers: response.headers, body: parse(text) };
}

/**
 * Rejects dot segments. A URL parser resolves them, so an id or path from the page could reach another part of the API.
 */
function requireWithoutDots(path: string): void {
  const [target = ''] = path.split('?');
  if (target.split('/').some((segment) => segment === '.' || segment === '..'))
    throw new RefusedCall('An id or a path must not contain the segments "." and "..".');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
