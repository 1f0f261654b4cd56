import type { HeaderField } from '../../platform/outbound/destination-exchange.ts';
import { setsOwnCookie } from './own-cookies.ts';

/** The header that marks responses of the destination. Errors of the proxy do not have it. */
export const destinationStatusHeader = 'bt-proxy-destination-status';

/**
 * Headers about the connection to the destination, which are not forwarded. The length is kept because the body is
 * unchanged.
 */
const connectionHeaders: ReadonlySet<string> = new Set(
  'connection keep-alive te trailer transfer-encoding upgrade'.split(' '),
);
/**
 * Headers that a browser would attribute to this vault. Above all, responses must not be cached: all destinations share
 * the same path here, so a cache would serve one caller's response to another.
 */
const originHeaders: ReadonlySet<string> = new Set(
  'alt-svc cache-control clear-site-data strict-transport-security x-content-type-options'.split(' '),
);
const withheldPrefixes = ['access-control-', 'bt-', 'proxy-'];

/** Returns the destination's headers as the client gets them. */
export function toResponseHeaders(headers: readonly HeaderField[]): readonly HeaderField[] {
  const named = new Set(
    headers
      .filter(({ name }) => name.toLowerCase() === 'connection')
      .flatMap(({ value }) => value.toLowerCase().split(','))
      .map((name) => name.trim()),
  );
  return headers.filter((field) => {
    const name = field.name.toLowerCase();
    if (connectionHeaders.has(name) || originHeaders.has(name) || setsOwnCookie(field)) return false;
    // The Connection header cannot remove the length, because the end of the body would be unknown without it.
    if (named.has(name) && name !== 'content-length') return false;
    return !withheldPrefixes.some((prefix) => name.startsWith(prefix));
  });
}
