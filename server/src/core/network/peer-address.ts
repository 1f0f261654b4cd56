import { type AddressRange, parseAddressRange } from './address-range.ts';
import { type AddressBytes, parseIpAddress } from './ip-address.ts';

const mappedPrefix = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/**
 * Parses the address of a client as written by a socket or a proxy. A zone (`%eth0`) is dropped, and an IPv4 address
 * mapped into IPv6 (`::ffff:a.b.c.d`) becomes IPv4. Do not use it for addresses that are dialled.
 */
export function parsePeerAddress(text: string): AddressBytes | undefined {
  const [address = ''] = text.split('%', 1);
  const bytes = parseIpAddress(address);
  return bytes !== undefined && isMapped(bytes) ? bytes.slice(12) : bytes;
}

/**
 * Returns the canonical spelling of such an address (RFC 5952); undefined for anything else. Records are compared as
 * text, so two spellings would make one client look like two.
 */
export function toAddressText(text: string): string | undefined {
  const bytes = parsePeerAddress(text);
  if (bytes === undefined) return undefined;
  if (bytes.length === 4) return bytes.join('.');
  const [address = ''] = text.split('%', 1);
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

/** Parses a range of such addresses, or a single address. */
export function parsePeerRange(text: string): AddressRange | undefined {
  if (text.includes('/')) {
    const range = parseAddressRange(text);
    // No peer could ever be in a mapped range, so IPv4 ranges must be written as IPv4.
    return range === undefined || isMapped(range.base) ? undefined : range;
  }
  const bytes = parsePeerAddress(text);
  return bytes === undefined ? undefined : { text, base: bytes, prefixBits: bytes.length * 8 };
}

function isMapped(bytes: AddressBytes): boolean {
  return bytes.length === 16 && mappedPrefix.every((byte, index) => bytes[index] === byte);
}
