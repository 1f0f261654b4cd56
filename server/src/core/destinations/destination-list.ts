import { endsInNumber, isHostName } from './host-name.ts';

const wildcard = '*.';

/**
 * Reads an entry of a list of destinations: a host name, or `*.` and a name of at least two labels. Lower-cased;
 * undefined when it is neither.
 */
export function parseDestinationEntry(text: string): string | undefined {
  // Judged as it was written: a few letters of other scripts become ASCII in lower case, such as the Kelvin sign.
  if (!/^[\x21-\x7e]{1,255}$/.test(text)) return undefined;
  const entry = text.toLowerCase();
  const isWildcard = entry.startsWith(wildcard);
  const host = isWildcard ? entry.slice(wildcard.length) : entry;
  if (!isHostName(host) || endsInNumber(host)) return undefined;
  return isWildcard && !host.includes('.') ? undefined : entry;
}

/** `*.example.com` stands for exactly one label before `example.com`: neither for itself nor for two of them. */
export function isListed(host: string, entries: readonly string[]): boolean {
  const dot = host.indexOf('.');
  const parent = dot < 0 ? undefined : `${wildcard}${host.slice(dot + 1)}`;
  return entries.some((entry) => entry === host || entry === parent);
}
