/**
 * Joins parts so that no two different lists yield the same bytes. Each part is preceded by its length as a four-byte
 * big-endian number, so `['ab','c']` and `['a','bc']` differ. Text that UTF-8 cannot represent (half of a surrogate
 * pair) is encoded as UTF-16 and marked in the highest bit of the length. In UTF-8, all such halves would look alike.
 */
export function lengthPrefixed(parts: readonly (string | number)[]): Buffer {
  const texts = parts.map(String);
  const measured = texts.map((text) => {
    const encoding = text.isWellFormed() ? 'utf8' : 'utf16le';
    return { text, encoding, length: Buffer.byteLength(text, encoding) } as const;
  });
  const bytes = Buffer.allocUnsafe(measured.reduce((sum, { length }) => sum + prefixLength + length, 0));
  let at = 0;
  for (const { text, encoding, length } of measured) {
    bytes.writeUInt32BE(length + (encoding === 'utf8' ? 0 : illFormedMark), at);
    bytes.write(text, at + prefixLength, encoding);
    at += prefixLength + length;
  }
  return bytes;
}

const prefixLength = 4;
const illFormedMark = 0x8000_0000;
