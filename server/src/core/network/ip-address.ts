/** The bytes of an address: 4 for IPv4, 16 for IPv6. Addresses are compared by their bytes, never by their text. */
export type AddressBytes = Uint8Array;

/** Parses the canonical form of IPv4, or any form of IPv6 in RFC 4291 §2.2. A zone is rejected. */
export function parseIpAddress(text: string): AddressBytes | undefined {
  if (text.length > 45) return undefined;
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

/**
 * Parses four decimal numbers without leading zeros, because programs disagree on what `0177.0.0.1` and `127.1` mean.
 */
function parseIpv4(text: string): AddressBytes | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part))) return undefined;
  const numbers = parts.map(Number);
  return numbers.every((number) => number <= 255) ? Uint8Array.from(numbers) : undefined;
}

function parseIpv6(text: string): AddressBytes | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0] ?? '', halves.length === 1);
  const tail = halves.length === 1 ? [] : parseGroups(halves[1] ?? '', true);
  if (head === undefined || tail === undefined) return undefined;

  const missing = 16 - head.length - tail.length;
  // `::` stands for at least one group of zeros.
  if (halves.length === 1 ? missing !== 0 : missing < 2) return undefined;
  return Uint8Array.from([...head, ...Array.from({ length: missing }, () => 0), ...tail]);
}

/** Parses groups of up to four hexadecimal digits. The last two groups of an address may be written as IPv4. */
function parseGroups(text: string, isEnd: boolean): number[] | undefined {
  if (text === '') return [];
  const bytes: number[] = [];
  const groups = text.split(':');
  for (const [index, group] of groups.entries()) {
    if (isEnd && index === groups.length - 1 && group.includes('.')) {
      const last = parseIpv4(group);
      if (last === undefined) return undefined;
      bytes.push(...last);
    } else if (/^[0-9a-f]{1,4}$/i.test(group)) {
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
    } else {
      return undefined;
    }
  }
  return bytes;
}
