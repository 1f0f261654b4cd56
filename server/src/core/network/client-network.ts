import { parsePeerAddress } from './peer-address.ts';

const halfOfIpv6 = 8;

/**
 * Returns the network that counts as one client: an IPv4 address, or the /64 of an IPv6 address. A household has at
 * least a whole /64, so counting single addresses would be useless.
 */
export function toClientNetwork(address: string): string {
  const bytes = parsePeerAddress(address);
  if (bytes === undefined) return 'unknown';
  if (bytes.length === 4) return bytes.join('.');
  return `${Array.from(bytes.subarray(0, halfOfIpv6), (byte) => byte.toString(16).padStart(2, '0')).join('')}/64`;
}
