import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CopyBlocks } from './copy-blocks.ts';

/** Returns the rows by table from a script that arrives in pieces of this size. */
function read(script: string, pieceBytes = script.length) {
  const blocks = new CopyBlocks();
  const tables: { table: string; columns: readonly string[]; rows: string; isWhole: boolean }[] = [];
  const bytes = Buffer.from(script, 'latin1');
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    for (const event of blocks.push(bytes.subarray(at, at + pieceBytes))) {
      const last = tables.at(-1);
      if (event.kind === 'begin') tables.push({ table: event.table, columns: event.columns, rows: '', isWhole: false });
      else if (last !== undefined && event.kind === 'rows') last.rows += event.bytes.toString('latin1');
      else if (last !== undefined) last.isWhole = true;
    }
  }
  return { tables, finish: () => blocks.finish() };
}

const script = `SET statement_timeout = 0;
COPY public.tenants (id, "position", name) FROM stdin;
1\t2\tA
3\t4\t\\\\.
\\.

SELECT pg_catalog.setval('public.x', 1, false);
COPY "public"."empty" ("id") FROM stdin;
\\.
DROP TABLE tenants;
`;
const tables = [
  { table: 'tenants', columns: ['id', 'position', 'name'], rows: '1\t2\tA\n3\t4\t\\\\.\n', isWhole: true },
  { table: 'empty', columns: ['id'], rows: '', isWhole: true },
];

describe('CopyBlocks', () => {
  it.each([1, 2, 3, 4, 5, 7, 64, 10_000])('finds rows, and nothing else, in pieces of %i bytes', (pieceBytes) => {
    const found = read(script, pieceBytes);
    expect(found.tables).toEqual(tables);
    expect(found.finish).not.toThrow();
  });

  it('gives back every row, wherever pieces end', () => {
    const row = fc.string({ unit: fc.constantFrom('a', '.', '\\\\', '\t', 'N') });
    fc.assert(
      fc.property(fc.array(row), fc.integer({ min: 1, max: 9 }), (rows, pieceBytes) => {
        const text = rows.map((one) => `${one}\n`).join('');
        const found = read(`COPY public.t (c) FROM stdin;\n${text}\\.\n`, pieceBytes);
        expect(found.tables).toEqual([{ table: 't', columns: ['c'], rows: text, isWhole: true }]);
      }),
    );
  });

  it.each([
    `COPY (select 1) TO PROGRAM 'touch x';`,
    `COPY public.t (c) FROM PROGRAM 'x';`,
    `COPY public.t (c) TO stdout;`,
    `COPY other.t (c) FROM stdin;`,
    `COPY public.t FROM stdin;`,
    `COPY public.t (c) FROM stdin WITH (FORMAT csv);`,
    `COPY public.t ("c""; drop table x") FROM stdin;`,
    `COPY public.t (c)) FROM stdin;`,
    `COPY public."T" (c) FROM stdin;`,
    ` COPY public.t (c) FROM stdin;`,
    `COPY public.t (${'c, '.repeat(40_000)}c) FROM stdin;`,
  ])('does not take this for the beginning of rows: %.60s', (line) => {
    expect(read(`${line}\n1\n\\.\n`).tables).toEqual([]);
  });

  it('finds rows after a line of any length', () => {
    expect(read(`-- ${'x'.repeat(1_000_000)}\n${script}`, 4_096).tables).toEqual(tables);
  });

  it('says when the script ends in the middle of a table', () => {
    const { finish } = read('COPY public.t (c) FROM stdin;\n1\n');
    expect(finish).toThrow('The dump ends in the middle of a table.');
  });
});
