import type { HeaderField } from '../../platform/outbound/destination-exchange.ts';
import { setsOwnCookie } from './own-cookies.ts';

/** Tells an answer of the destination from one of the proxy: only the former has it. */
export const destinationStatusHeader = 'bt-proxy-destination-status';

/** About the connection to the destination, which ends here; the length stays, since the body does. */
const connectionHeaders: ReadonlySet<string> = new Set(
  'connection keep-alive te trailer transfer-encoding upgrade'.split(' '),
);
/**
 * What a browser would take as said by this vault about itself. An answer must above all not be kept: every destination
 * has the same path here, so a cache in between would give one caller's answer to another.
 */
const originHeaders: ReadonlySet<string> = new Set(
  'alt-svc cache-control clear-site-data strict-transport-security x-content-type-options'.split(' '),
);
const keptPrefixes = ['access-control-', 'bt-', 'proxy-'];

/** The destination's headers as the client gets them. */
export function toAnswerHeaders(headers: readonly HeaderField[]): readonly HeaderField[] {
  const named = new Set(
    headers
      .filter(({ name }) => name.toLowerCase() === 'connection')
      .flatMap(({ value }) => value.toLowerCase().split(','))
      .map((name) => name.trim()),
  );
  return headers.filter((field) => {
    const name = field.name.toLowerCase();
    if (connectionHeaders.has(name) || originHeaders.has(name) || setsOwnCookie(field)) return false;
    // A length is named by nobody: without it the end of the body could not be told.
    if (named.has(name) && name !== 'content-length') return false;
    return !keptPrefixes.some((prefix) => name.startsWith(prefix));
  });
}
