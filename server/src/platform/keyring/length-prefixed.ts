/**
 * Joins parts so that no two different lists give the same bytes: each part is preceded by its length as a
 * four-byte big-endian number. `['ab','c']` and `['a','bc']` stay apart.
 */
export function lengthPrefixed(parts: readonly (string | number)[]): Buffer {
  const buffers: Buffer[] = [];
  for (const part of parts) {
    const bytes = Buffer.from(String(part), 'utf8');
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    buffers.push(length, bytes);
  }
  return Buffer.concat(buffers);
}
