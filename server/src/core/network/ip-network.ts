import { type IpAddress, parseIpAddress } from './ip-address.ts';

/** A range of addresses, as `10.0.0.0/8` or `2001:db8::/32` write it. */
export interface IpNetwork {
  readonly address: IpAddress;
  readonly prefixBits: number;
}

/** A single address is a network of one. Undefined for text that is neither. */
export function parseIpNetwork(text: string): IpNetwork | undefined {
  const [addressText = '', bitsText, ...rest] = text.split('/');
  const address = parseIpAddress(addressText);
  if (address === undefined || rest.length > 0) return undefined;
  const bitsMax = address.length * 8;
  if (bitsText === undefined) return { address, prefixBits: bitsMax };
  // The bits of a mapped address would be counted from another start.
  if (addressText.includes(':') && address.length === 4) return undefined;
  const prefixBits = /^\d{1,3}$/.test(bitsText) ? Number(bitsText) : Number.NaN;
  return prefixBits <= bitsMax ? { address, prefixBits } : undefined;
}

export function contains(network: IpNetwork, address: IpAddress): boolean {
  if (network.address.length !== address.length) return false;
  for (let bit = 0; bit < network.prefixBits; bit += 8) {
    const mask = (0xff << Math.max(0, bit + 8 - network.prefixBits)) & 0xff;
    const index = bit / 8;
    if (((network.address[index] ?? 0) & mask) !== ((address[index] ?? 0) & mask)) return false;
  }
  return true;
}
