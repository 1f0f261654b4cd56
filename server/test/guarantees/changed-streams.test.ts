import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { randomInt } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkStream } from '../../src/features/log-streams/index.ts';
import { toCheckpointLine, toRecordLine } from '../../src/features/log-streams/model/stream-line.ts';
import { LogReader } from '../../src/platform/audit/verify/log-reader.ts';
import { fillLog, sealAll, signerOf } from '../harness/sealed-log.ts';
import { TestVault } from '../harness/test-vault.ts';

/** How many bytes are changed, one at a time. `npm run test:streams` changes a thousand. */
const changes = Number(process.env['STREAM_CHANGES'] ?? 150);
const records = 60;

let vault: TestVault;
let directory: string;
let lines: string[];
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'strongroom-changed-'));
  vault = await TestVault.start();
  const { id } = await vault.makeTenant();
  // Several passes, so that there are several checkpoints.
  for (let pass = 0; pass < 4; pass += 1) {
    await fillLog(vault.database, { tenantId: id, count: records / 4 });
    await sealAll(vault.database, signerOf(vault.server));
  }
  lines = [];
  let size = 0;
  for await (const section of new LogReader(vault.database.open()).sections(id)) {
    if (section.records === 'dropped') throw new Error('No month was dropped.');
    for (const record of section.records) {
      lines.push(JSON.stringify(toRecordLine(record, size)));
      size += 1;
    }
    lines.push(JSON.stringify(toCheckpointLine(section.checkpoint)));
  }
});
afterAll(async () => {
  await vault.stop();
  await rm(directory, { recursive: true });
});

/** Returns what `audit check-stream` reports about these lines, and the number of records that it verified. */
async function check(text: string): Promise<{ readonly found: number; readonly verified: number }> {
  const file = path.join(directory, 'stream.ndjson');
  await writeFile(file, text);
  const publicKey = signerOf(vault.server).publicKey;
  const { findings, unreadable, tenants } = await checkStream([file], { publicKey, onProgress: () => undefined });
  const sumOf = (of: (tenant: (typeof tenants)[number]) => number) => tenants.reduce((sum, one) => sum + of(one), 0);
  // A changed position or tenant can turn a repeated record into one that no checkpoint covers, which is reported too.
  const found = findings.length + unreadable.length + sumOf(({ uncovered }) => uncovered);
  return { found, verified: sumOf(({ verified }) => verified) };
}
const toText = (some: readonly string[]) => `${some.join('\n')}\n`;
const wrapped = (line: string) =>
  JSON.stringify({ time: 1, event: { class_uid: 6003, unmapped: { strongroom: JSON.parse(line) as object } } });

/** Returns a value of the same type, if there is one. */
function otherThan(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  return typeof value === 'string' ? `${value.slice(0, -1)}${value.endsWith('1') ? '2' : '1'}` : 'something';
}

describe('audit check-stream', () => {
  it('finds nothing in lines as they were sent, repeated, in any order, or wrapped by receivers', async () => {
    const whole = await check(toText(lines));
    expect(whole.found).toBe(0);
    expect(whole.verified).toBeGreaterThanOrEqual(records);
    expect(await check(toText([...lines.slice(0, 40), ...lines]))).toEqual(whole);
    expect(await check(toText(lines.toReversed()))).toEqual(whole);
    expect(await check(toText(lines.map(wrapped)))).toEqual(whole);
    expect(
      await check(toText(lines.map((line) => `<110>1 2026-11-19T00:00:00Z vault strongroom - audit - ${line}`))),
    ).toEqual(whole);
  });

  it('finds each line that is missing, except the last ones', async () => {
    for (let index = 0; index < lines.length - 1; index += 1) {
      const { found } = await check(toText(lines.toSpliced(index, 1)));
      expect({ index, isFound: found > 0 }).toEqual({ index, isFound: true });
    }
  });

  it('finds a change of each member of a line, alone or beside the line as it was', async () => {
    const last = lines.length - 1;
    for (const index of [last - 1, last]) {
      const line = lines[index] ?? '';
      for (const [name, value] of Object.entries(JSON.parse(line) as Record<string, unknown>)) {
        const changed = line.replace(
          `"${name}":${JSON.stringify(value)}`,
          `"${name}":${JSON.stringify(otherThan(value))}`,
        );
        expect(changed).not.toBe(line);
        for (const some of [lines.with(index, changed), [...lines, changed], [changed, ...lines]]) {
          expect({ name, isFound: (await check(toText(some))).found > 0 }).toEqual({ name, isFound: true });
        }
      }
    }
  });

  it(`finds each of ${changes} changed bytes`, async () => {
    const original = Buffer.from(toText(lines), 'utf8');
    for (let change = 0; change < changes; change += 1) {
      const content = Buffer.from(original);
      const at = randomInt(content.length - 1);
      content[at] = (content[at] ?? 0) ^ (1 << randomInt(7));
      const { found } = await check(content.toString('latin1'));
      expect({ at, was: original.toString('utf8', at - 20, at + 20), isFound: found > 0 }).toMatchObject({
        isFound: true,
      });
    }
  });

  it(`finds each of ${Math.ceil(changes / 5)} changed bytes in lines that were repeated`, async () => {
    const text = toText(lines);
    for (let change = 0; change < changes / 5; change += 1) {
      const content = Buffer.from(text, 'utf8');
      const at = randomInt(content.length - 1);
      content[at] = (content[at] ?? 0) ^ (1 << randomInt(7));
      for (const both of [`${text}${content.toString('latin1')}`, `${content.toString('latin1')}\n${text}`]) {
        expect({ at, isFound: (await check(both)).found > 0 }).toMatchObject({ isFound: true });
      }
    }
  });

  it('finds a log that was sealed with another key', async () => {
    const file = path.join(directory, 'stream.ndjson');
    await writeFile(file, toText(lines));
    const { findings } = await checkStream([file], { publicKey: Buffer.alloc(32, 1), onProgress: () => undefined });
    expect(findings.map(({ kind }) => kind)).toContain('checkpoint-changed');
  });
});
