/** Bitcoin's alphabet: no 0, O, I or l, so that a key read aloud or typed off a screen survives. */
const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const base = 58n;

/** Writes bytes as one big-endian number, padded on the left so that equal byte lengths give equal text lengths. */
export function encodeBase58(bytes: Uint8Array): string {
  let number = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let text = '';
  while (number > 0n) {
    text = `${alphabet[Number(number % base)] ?? ''}${text}`;
    number /= base;
  }
  return text.padStart(base58Length(bytes.length), '1');
}

/** Reads what `encodeBase58` wrote for that many bytes, and nothing else. */
export function decodeBase58(text: string, byteLength: number): Uint8Array | undefined {
  if (text.length !== base58Length(byteLength)) return undefined;
  let number = 0n;
  for (const character of text) {
    const digit = alphabet.indexOf(character);
    if (digit < 0) return undefined;
    number = number * base + BigInt(digit);
  }
  if (number >= 256n ** BigInt(byteLength)) return undefined;
  const bytes = new Uint8Array(byteLength);
  for (let index = byteLength - 1; index >= 0; index -= 1) {
    bytes[index] = Number(number % 256n);
    number /= 256n;
  }
  return bytes;
}

function base58Length(byteLength: number): number {
  return Math.ceil((byteLength * 8) / Math.log2(58));
}
