import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { untilTrue } from '../harness/deadline.ts';
import { Program } from '../harness/program.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

let database: TestDatabase;
let directory: string;
let settings: Record<string, string>;
let tenantId: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'strongroom-audit-archive-'));
  database = await createTestDatabase();
  settings = {
    STRONGROOM_DATABASE_URL: database.url,
    STRONGROOM_ROOT_KEY: generateRootKey(),
    STRONGROOM_WORKER_ADMIN_PORT: '0',
    STRONGROOM_AUDIT_RETENTION_MONTHS: '4',
  };
  const { stdout } = await Program.run(['bootstrap', '--name', 'Acme', '--json'], settings);
  tenantId = (JSON.parse(stdout) as { tenant_id: string }).tenant_id;
  const begin = `date_trunc('month', now() at time zone 'UTC') - interval '6 months'`;
  await database.owner.query(`do $$ begin
    execute format('create table audit_records_%s partition of audit_records for values from (%L) to (%L)',
      to_char(${begin}, 'YYYY_MM'), (${begin}) at time zone 'UTC', (${begin} + interval '1 month') at time zone 'UTC');
  end $$`);
  await database.owner.query(
    `insert into audit_records (tenant_id, created_at, entity_type, entity_id, operation, outcome, transform, actor_type)
      select $1, (${begin}) at time zone 'UTC' + make_interval(mins => n), 'card', 'card-' || n, 'read', 'success', 'reveal', 'application'
      from generate_series(1, 40) n`,
    [tenantId],
  );
});
afterEach(() => Program.killAll());
afterAll(async () => {
  await database.drop();
  await rm(directory, { recursive: true });
});

const audit = (...command: string[]) => Program.run(['audit', ...command], settings);

it('says which setting is missing', async () => {
  const { code, stderr } = await audit('archive');
  expect(code).toBe(1);
  expect(stderr).toContain('Set STRONGROOM_AUDIT_ARCHIVE');
});

it('is missed by doctor while a month waits', async () => {
  const place = { STRONGROOM_AUDIT_ARCHIVE: path.join(directory, 'months') };
  const worker = Program.start(['work', '--json'], { ...settings, ...place });
  await worker.ready();
  await untilTrue(
    async () =>
      (await Program.run(['doctor'], { ...settings, ...place })).stdout.includes(
        'wait in the database to be archived: 1, from',
      ),
    { waitingFor: 'doctor to see that the month waits' },
  );
  await worker.stop();
});

it('moves a month to files, which the other commands read', async () => {
  settings['STRONGROOM_AUDIT_ARCHIVE'] = path.join(directory, 'months');
  const worker = Program.start(['work', '--json'], settings);
  await worker.ready();
  // The month can be archived once the worker has sealed it.
  let months: { month: string; records: number; dropped: boolean }[] = [];
  while (months.length === 0) {
    const { code, stdout } = await audit('archive', '--json');
    expect(code).toBe(0);
    months = JSON.parse(stdout) as typeof months;
  }
  await worker.stop();
  expect(months).toMatchObject([{ records: 40, dropped: true }]);
  expect((await audit('archive')).stdout).toContain('No month is past its retention.');
  expect((await Program.run(['doctor'], settings)).stdout).toContain('has every month that it should have');

  const { stdout } = await audit('verify', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, archive: { files: 1, findings: [] } });
  expect((JSON.parse(stdout) as { tenants: { dropped: number }[] }).tenants[0]?.dropped).toBe(0);
  const seen = await audit(
    'token',
    'card-7',
    '--tenant',
    tenantId,
    '--json',
    '--prove',
    path.join(directory, 'proofs'),
  );
  expect(JSON.parse(seen.stdout)).toMatchObject({ records: 1, proofs: { records: 1 } });
  const { public_key: key } = JSON.parse(stdout) as { public_key: string };
  const checked = await Program.run(['audit', 'check', path.join(directory, 'proofs'), '--public-key', key], {});
  expect(checked.stdout).toContain('is in the sealed log');
});

it('names the file that was changed, and exits with 1', async () => {
  const [month = ''] = await readdir(path.join(directory, 'months'));
  const [name = ''] = (await readdir(path.join(directory, 'months', month))).filter((one) => one.endsWith('.gz'));
  const file = path.join(directory, 'months', month, name);
  const content = await readFile(file);
  content[content.length - 9] = (content.at(-9) ?? 0) ^ 1;
  await writeFile(file, content);
  const { code, stdout } = await audit('verify');
  expect(code).toBe(1);
  expect(stdout).toContain(`FAIL archive: ${month}/${name}`);
  const report = await audit('token', 'card-7', '--tenant', tenantId);
  expect(report.code).toBe(1);
  expect(report.stderr).toContain(name);
});
