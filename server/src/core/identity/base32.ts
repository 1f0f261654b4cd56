/** The alphabet of RFC 4648 §6. No padding is used. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Encodes bytes as text that people can type. The length must be a multiple of five. */
export function encodeBase32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => alphabet[Number.parseInt(five, 2)] ?? '').join('');
}

/** Returns undefined if the text contains other characters. */
export function decodeBase32(text: string): Buffer | undefined {
  if (!/^[A-Z2-7]*$/.test(text)) return undefined;
  const bits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
