/**
 * Joins parts so that no two different lists give the same bytes: each part is preceded by its length as a
 * four-byte big-endian number. `['ab','c']` and `['a','bc']` stay apart. Text that UTF-8 cannot hold (half of a
 * surrogate pair) is taken as UTF-16 and marked in the highest bit of the length; as UTF-8 all such halves look alike.
 */
export function lengthPrefixed(parts: readonly (string | number)[]): Buffer {
  const buffers: Buffer[] = [];
  for (const part of parts) {
    const text = String(part);
    const isWellFormed = text.isWellFormed();
    const bytes = Buffer.from(text, isWellFormed ? 'utf8' : 'utf16le');
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length + (isWellFormed ? 0 : illFormedMark));
    buffers.push(length, bytes);
  }
  return Buffer.concat(buffers);
}

const illFormedMark = 0x8000_0000;
