import { type AddressBytes, parseIpAddress } from './ip-address.ts';

/** The range of all addresses that share their first `prefixBits` bits with `base`. */
export interface AddressRange {
  readonly text: string;
  readonly base: AddressBytes;
  readonly prefixBits: number;
}

/** Parses `10.0.0.0/8`. Bits after the prefix must be zero, because otherwise the range is probably a mistake. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const [address = '', bits = '', ...rest] = text.split('/');
  const base = parseIpAddress(address);
  if (base === undefined || rest.length > 0 || !/^(?:0|[1-9]\d{0,2})$/.test(bits)) return undefined;
  const prefixBits = Number(bits);
  if (prefixBits > base.length * 8) return undefined;
  const range = { text, base, prefixBits };
  return base.every((byte, index) => (byte & ~maskOf(prefixBits, index)) === 0) ? range : undefined;
}

/** Parses a range, or an address as the range of itself. */
export function parseAddressOrRange(text: string): AddressRange | undefined {
  if (text.includes('/')) return parseAddressRange(text);
  const base = parseIpAddress(text);
  return base === undefined ? undefined : { text, base, prefixBits: base.length * 8 };
}

export function isInRange(address: AddressBytes, { base, prefixBits }: AddressRange): boolean {
  return (
    address.length === base.length &&
    base.every((byte, index) => ((byte ^ (address[index] ?? 0)) & maskOf(prefixBits, index)) === 0)
  );
}

/** Returns the bits of the byte at `index` that belong to the prefix. */
function maskOf(prefixBits: number, index: number): number {
  const bits = Math.min(Math.max(prefixBits - index * 8, 0), 8);
  return (0xff << (8 - bits)) & 0xff;
}
