import { endsInNumber, isHostName } from './host-name.ts';

const wildcard = '*.';

/**
 * Parses and lower-cases an entry of a destination list: a host name, or `*.` and a name of at least two labels.
 * Returns undefined if it is neither.
 */
export function parseDestinationEntry(text: string): string | undefined {
  // The text is checked before lower-casing, which turns some non-ASCII letters, such as the Kelvin sign, into ASCII.
  if (!/^[\x21-\x7e]{1,255}$/.test(text)) return undefined;
  const entry = text.toLowerCase();
  const isWildcard = entry.startsWith(wildcard);
  const host = isWildcard ? entry.slice(wildcard.length) : entry;
  if (!isHostName(host) || endsInNumber(host)) return undefined;
  return isWildcard && !host.includes('.') ? undefined : entry;
}

/**
 * Returns true if an entry matches the host. `*.example.com` matches exactly one label before `example.com`: not
 * `example.com` itself, and not two labels.
 */
export function isListed(host: string, entries: readonly string[]): boolean {
  const dot = host.indexOf('.');
  const parent = dot < 0 ? undefined : `${wildcard}${host.slice(dot + 1)}`;
  return entries.some((entry) => entry === host || entry === parent);
}
