import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRecords, type RecordReading } from './record-reader.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'strongroom-records-'));
});
afterAll(() => rm(directory, { recursive: true }));

const reading: RecordReading = {
  offset: 0,
  linesBefore: 0,
  hasQuotes: false,
  recordBytesMax: 100,
  batchRecordsMax: 3,
  batchBytesMax: 1_000,
};

async function read(text: string, options: Partial<RecordReading> = {}) {
  const name = path.join(directory, crypto.randomUUID());
  await writeFile(name, text);
  const file = await open(name);
  try {
    const found = [];
    for await (const { bytes, records } of readRecords(file, { ...reading, ...options })) {
      for (const { range, ...place } of records) {
        const part = range === undefined ? undefined : Buffer.from(bytes.subarray(range.from, range.to));
        found.push({ ...place, text: part?.toString('utf8') });
      }
    }
    return found;
  } finally {
    await file.close();
  }
}
const textsOf = async (text: string, options: Partial<RecordReading> = {}) =>
  (await read(text, options)).map((record) => record.text);

describe('records of a file', () => {
  it('end at line ends of either kind, and with the file', async () => {
    expect(await textsOf('a\nb\r\n\nc')).toEqual(['a', 'b', '', 'c']);
    expect(await textsOf('')).toEqual([]);
  });

  it('do not begin with a byte order mark', async () => {
    expect(await read('\ufeffa\nb\n')).toMatchObject([
      { line: 1, text: 'a', offset: 3, end: 5 },
      { line: 2, text: 'b', offset: 5, end: 7 },
    ]);
  });

  it('may hold line ends between quotes', async () => {
    expect(await read('"a\nb",c\n"d"""\ne', { hasQuotes: true })).toMatchObject([
      { line: 1, lineCount: 2, text: '"a\nb",c' },
      { line: 3, lineCount: 1, text: '"d"""' },
      { line: 4, text: 'e' },
    ]);
  });

  it('are left out where they are too long, and those after them are not', async () => {
    const long = 'x'.repeat(3_000_000);
    expect(await read(`a\n${long}\nb\n${'y'.repeat(101)}\nc`)).toMatchObject([
      { line: 1, text: 'a', end: 2 },
      { line: 2, text: undefined, offset: 2, end: 3_000_003 },
      { line: 3, text: 'b', offset: 3_000_003 },
      { line: 4, text: undefined, offset: 3_000_005 },
      { line: 5, text: 'c' },
    ]);
    expect(await read(long)).toMatchObject([{ line: 1, text: undefined, end: 3_000_000 }]);
  });

  it('are the same from the end of any of them on', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ maxLength: 30 })), fc.nat(), async (lines, choice) => {
        const whole = await read(lines.join('\n'), { hasQuotes: true });
        const from = whole[choice % Math.max(whole.length, 1)];
        const options = {
          offset: from?.end ?? 0,
          linesBefore: from === undefined ? 0 : from.line + from.lineCount - 1,
        };
        const rest = from === undefined ? whole : whole.slice(whole.indexOf(from) + 1);
        expect(await read(lines.join('\n'), { hasQuotes: true, ...options })).toEqual(rest);
      }),
      { numRuns: 50 },
    );
  });
});
