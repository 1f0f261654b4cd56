import { isHostName } from '../destinations/host-name.ts';
import { loopbackHosts } from '../network/loopback-hosts.ts';

/**
 * Scheme, host and port. The pattern excludes everything else that a URL parser would accept: credentials, a path,
 * spaces, a wildcard.
 */
const plainOrigin = /^https?:\/\/(?<host>[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;

/**
 * Parses an entry of a list of origins and spells it as browsers do in the `Origin` header: in lower case, without the
 * default port. Returns undefined if it is not an origin with https, or with http on loopback.
 */
export function parseOriginEntry(text: string): string | undefined {
  // The text is checked before lower-casing, which turns some non-ASCII letters, such as the Kelvin sign, into ASCII.
  if (!/^[\x21-\x7e]{1,255}$/.test(text)) return undefined;
  const entry = text.toLowerCase();
  const host = plainOrigin.exec(entry)?.groups?.['host'];
  if (host === undefined || !URL.canParse(entry)) return undefined;
  const { protocol, hostname, origin } = new URL(entry);
  // A name that the URL parser changes, such as 127.1, is a mistake.
  if (!host.startsWith('[') && (hostname !== host || !isHostName(host))) return undefined;
  return protocol === 'https:' || loopbackHosts.includes(hostname) ? origin : undefined;
}
