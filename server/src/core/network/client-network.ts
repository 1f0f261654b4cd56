import { parsePeerAddress } from './peer-address.ts';

const groupStarts = [0, 2, 4, 6];

/**
 * Returns the network that counts as one client: an IPv4 address, or the /64 of an IPv6 address, such as
 * `2001:db8:0:7::/64`. A household has at least a whole /64, so counting single addresses would be useless.
 */
export function toClientNetwork(address: string): string {
  const bytes = parsePeerAddress(address);
  if (bytes === undefined) return 'unknown';
  if (bytes.length === 4) return bytes.join('.');
  const groups = groupStarts.map((start) => (((bytes[start] ?? 0) << 8) | (bytes[start + 1] ?? 0)).toString(16));
  // Zeros before the four zeros of the other half are part of the same abbreviation (RFC 5952).
  const shown = groups.slice(0, groups.findLastIndex((group) => group !== '0') + 1);
  return `${shown.join(':')}::/64`;
}
