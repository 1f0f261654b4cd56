import { rowsIn } from './documentation.ts';

/** Returns a byte layout from the page: the table after `<!-- layout: … -->`, without its heading. */
export function rowsOf(page: string, name: string): string[][] {
  const [, after] = page.split(`<!-- layout: ${name} -->\n\n`);
  const [table = ''] = (after ?? '').split('\n\n');
  const rows = rowsIn(table).slice(2);
  if (rows.length === 0) throw new Error(`The page has no layout of ${name}.`);
  return rows;
}

/** Splits bytes by a table of offset, length and content. Each part must begin where the previous one ends. */
export function cut(page: string, name: string, bytes: Buffer): Buffer[] {
  const rows = rowsOf(page, name);
  const fixed = rows.reduce((sum, [, length]) => sum + (length === 'n' ? 0 : Number(length)), 0);
  const toNumber = (text = '') =>
    text.split(' + ').reduce((sum, part) => sum + (part === 'n' ? bytes.length - fixed : Number(part)), 0);
  let end = 0;
  const parts = rows.map(([offset, length]) => {
    if (toNumber(offset) !== end) throw new Error(`A part of the ${name} does not begin at ${offset}.`);
    end += toNumber(length);
    return bytes.subarray(toNumber(offset), end);
  });
  if (end !== bytes.length) throw new Error(`The ${name} is longer than the page says.`);
  return parts;
}

/** Joins parts, each preceded by its length as four bytes, big-endian. */
export function joined(parts: readonly (string | number)[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(String(part), 'utf8');
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}
