import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { untilTrue } from '../harness/deadline.ts';
import { Program } from '../harness/program.ts';
import { fillLog } from '../harness/sealed-log.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

let database: TestDatabase;
let directory: string;
let settings: Record<string, string>;
let key: string;
let tenantId: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'strongroom-check-stream-'));
  database = await createTestDatabase();
  const port = await findFreePort();
  settings = {
    STRONGROOM_DATABASE_URL: database.url,
    STRONGROOM_ROOT_KEY: generateRootKey(),
    STRONGROOM_WORKER_ADMIN_PORT: '0',
    STRONGROOM_AUDIT_ANCHOR_FILE: file('anchor.ndjson'),
    STRONGROOM_LOG_STREAMS: JSON.stringify([
      { name: 'copy', kind: 'file', path: file('copy.ndjson') },
      { name: 'dead', kind: 'https', url: `https://127.0.0.1:${port}/` },
    ]),
  };
  const { stdout } = await Program.run(['bootstrap', '--name', 'Acme', '--json'], settings);
  tenantId = (JSON.parse(stdout) as { tenant_id: string }).tenant_id;
  await fillLog(database, { tenantId, count: 500 });
  const worker = Program.start(['work', '--json'], settings);
  await worker.ready();
  await untilTrue(isStreamed, { waitingFor: 'the copy to have everything' });
  await worker.stop();
  const verified = await Program.run(['audit', 'verify', '--json'], settings);
  key = (JSON.parse(verified.stdout) as { public_key: string }).public_key;
});
afterEach(() => Program.killAll());
afterAll(async () => {
  await database.drop();
  await rm(directory, { recursive: true });
});

const file = (name: string) => path.join(directory, name);
/** The command gets no settings, because it needs no vault. */
const checkStream = (...command: string[]) => Program.run(['audit', 'check-stream', ...command], {});

async function isStreamed(): Promise<boolean> {
  const { rows } = await database.owner.query<{ ok: boolean }>(
    `select not exists (select from audit_records, audit_sealing where sealing_order >= sealed_to)
      and (select max(number) from audit_checkpoints) = (select max(number) from audit_stream_positions where stream = 'copy')
      and exists (select from audit_streams where name = 'dead' and failures > 0) as ok`,
  );
  return rows[0]?.ok === true;
}

it('says that a copy has everything up to its last checkpoint, to people and to machines', async () => {
  const people = await checkStream(file('copy.ndjson'), '--public-key', key, '--anchor', file('anchor.ndjson'));
  expect(people.stdout).toContain(`Tenant ${tenantId}: 502 records verified, 0 repeated.`);
  expect(people.stdout).toContain('Nothing is missing up to the last checkpoint of each tenant');
  expect(people.code).toBe(0);
  const machines = await checkStream(file('copy.ndjson'), file('copy.ndjson'), '--public-key', key, '--json');
  expect(JSON.parse(machines.stdout)).toMatchObject({
    ok: true,
    unreadable: [],
    tenants: [{ tenant_id: tenantId, begins_at: 0, verified: 502, repeated: 502, uncovered: 0, tree_size: 502 }],
    findings: [],
  });
});

it('exits with 1 and says where something is missing, changed, or not from the vault', async () => {
  const lines = (await readFile(file('copy.ndjson'), 'utf8')).trim().split('\n');
  await writeFile(file('gap.ndjson'), lines.toSpliced(100, 1).join('\n'));
  const gap = await checkStream(file('gap.ndjson'), '--public-key', key);
  expect(gap).toMatchObject({ code: 1, stdout: expect.stringContaining('1 records are missing in checkpoint') });

  await writeFile(file('changed.ndjson'), lines.join('\n').replace('"outcome":"success"', '"outcome":"failed"'));
  const changed = await checkStream(file('changed.ndjson'), '--public-key', key);
  expect(changed).toMatchObject({ code: 1, stdout: expect.stringContaining('Records were changed in checkpoint') });

  await writeFile(file('foreign.ndjson'), [...lines, '{"kind":"remark"}'].join('\n'));
  const foreign = await checkStream(file('foreign.ndjson'), '--public-key', key);
  expect(foreign).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(`:${lines.length + 1}: This is not a line`),
  });
});

it('finds with an anchor that the newest lines are missing', async () => {
  const lines = (await readFile(file('copy.ndjson'), 'utf8')).trim().split('\n');
  const first = lines.findIndex((line) => line.startsWith('{"kind":"checkpoint"'));
  await writeFile(file('short.ndjson'), lines.slice(0, first).join('\n'));
  const short = await checkStream(file('short.ndjson'), '--public-key', key, '--anchor', file('anchor.ndjson'));
  expect(short).toMatchObject({ code: 1, stdout: expect.stringContaining('is in the anchor but not in the log') });
});

it('does not take a file that is missing or empty for a copy', async () => {
  expect(await checkStream(file('none.ndjson'), '--public-key', key)).toMatchObject({ code: 1 });
  await writeFile(file('empty.ndjson'), '');
  const empty = await checkStream(file('empty.ndjson'), '--public-key', key);
  expect(empty).toMatchObject({ code: 1, stdout: expect.stringContaining('There are no lines of a stream.') });
});

it('doctor says how far each stream is behind, and why', async () => {
  const { stdout } = await Program.run(['doctor', '--json'], settings);
  const { findings } = JSON.parse(stdout) as { findings: { name: string }[] };
  expect(findings.find(({ name }) => name === 'log streams')).toMatchObject({
    ok: true,
    warning: true,
    detail: expect.stringMatching(
      /^copy has everything; dead is .* behind, because its receiver failed: ECONNREFUSED$/,
    ),
  });
});
