import { appendFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { untilTrue } from '../harness/deadline.ts';
import { Program } from '../harness/program.ts';
import { fillLog } from '../harness/sealed-log.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

let database: TestDatabase;
let settings: Record<string, string>;
let directory: string;
let tenantId: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'strongroom-audit-'));
  database = await createTestDatabase();
  settings = {
    STRONGROOM_DATABASE_URL: database.url,
    STRONGROOM_ROOT_KEY: generateRootKey(),
    STRONGROOM_WORKER_ADMIN_PORT: '0',
    STRONGROOM_AUDIT_ANCHOR_FILE: path.join(directory, 'anchor.ndjson'),
  };
  const { stdout } = await Program.run(['bootstrap', '--name', 'Acme', '--json'], settings);
  tenantId = (JSON.parse(stdout) as { tenant_id: string }).tenant_id;
  await fillLog(database, { tenantId, count: 3_000 });
  await sealByWorker();
});
afterEach(() => Program.killAll());
afterAll(async () => {
  await database.drop();
  await rm(directory, { recursive: true });
});

/** Runs a worker until everything is sealed, and returns its metrics. */
async function sealByWorker(): Promise<string> {
  const worker = Program.start(['work', '--json'], settings);
  const { admin_url } = await worker.ready<{ admin_url: string }>();
  await untilTrue(
    async () => {
      const { rows } = await database.owner.query(
        'select 1 from audit_records, audit_sealing where sealing_order >= sealed_to limit 1',
      );
      return rows.length === 0;
    },
    { waitingFor: 'everything to be sealed' },
  );
  const metrics = await (await fetch(`${admin_url}/metrics`)).text();
  expect((await fetch(`${admin_url}/readyz`)).status).toBe(200);
  await worker.stop();
  return metrics;
}
const file = (name: string) => path.join(directory, name);
const audit = (...command: string[]) => Program.run(['audit', ...command], settings);

describe('audit verify', () => {
  it('says that an untouched log is as it was sealed, to people and to machines', async () => {
    const forPeople = await audit('verify');
    expect(forPeople.code).toBe(0);
    expect(forPeople.stdout).toContain('The log matches what was sealed.');
    const { code, stdout } = await audit('verify', '--json', '--anchor', file('anchor.ndjson'));
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      public_key: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
      tenants: [{ tenant_id: tenantId, verified: 3_002, dropped: 0, tree_size: 3_002 }],
      findings: [],
      unsealed: { records: 0, tenants: [] },
    });
  });

  it('exits with 1 and says where, when a record was changed', async () => {
    await database.owner.query(`update audit_records set operation = 'delete' where request_id = 'request 1500'`);
    try {
      const { code, stdout } = await audit('verify', '--tenant', tenantId);
      expect(code).toBe(1);
      expect(stdout).toMatch(
        /FAIL tenant .*: Records were changed in checkpoint 2, sealed at .*\. Records 1\d{3} to 2\d{3}\./,
      );
      const forMachines = await audit('verify', '--json');
      expect(JSON.parse(forMachines.stdout)).toMatchObject({ ok: false, findings: [{ kind: 'records-changed' }] });
    } finally {
      await database.owner.query(
        `update audit_records set operation = (array['create', 'read', 'read', 'update'])[1 + 1500 % 4] where request_id = 'request 1500'`,
      );
    }
  });

  it('names what is not sealed yet, for how long and why', async () => {
    await fillLog(database, { tenantId, count: 11 });
    await database.owner.query(`update audit_sealing set looked_at = now() - interval '5 minutes'`);
    const forPeople = await audit('verify');
    expect(forPeople.code).toBe(0);
    expect(forPeople.stdout).toMatch(
      new RegExp(
        `WAIT tenant ${tenantId}: 11 records not sealed yet, the oldest for \\d+ (s|min)\\. No worker for 5 min\\.`,
      ),
    );
    expect(forPeople.stdout).toContain('11 records not sealed yet.');
    const { stdout } = await audit('verify', '--json', '--tenant', tenantId);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      unsealed: {
        records: 11,
        tenants: [{ tenant_id: tenantId, records: 11, waiting_seconds: expect.any(Number), reason: 'no-worker' }],
      },
    });
    await database.owner.query(
      'delete from audit_records where sealing_order >= (select sealed_to from audit_sealing)',
    );
  });

  it('needs the root key that the log was signed under', async () => {
    const { code } = await Program.run(['audit', 'verify'], { ...settings, STRONGROOM_ROOT_KEY: generateRootKey() });
    expect(code).toBe(1);
  });
});

describe('audit export', () => {
  it('writes what verifies without a database, goes on where it stopped, and shows a changed line', async () => {
    const output = file('log.ndjson');
    const first = await audit('export', '--output', output, '--json');
    expect(JSON.parse(first.stdout)).toEqual({ records: 3_002, checkpoints: expect.any(Number) });
    const offline = await Program.run(['audit', 'verify', '--from', output, '--json']);
    expect(JSON.parse(offline.stdout)).toMatchObject({ ok: true, tenants: [{ verified: 3_002 }] });

    await fillLog(database, { tenantId, count: 50 });
    const metrics = await sealByWorker();
    expect(metrics).toContain('strongroom_audit_seal_lag_seconds_bucket');
    // A crash in the middle of the next run would leave an incomplete line like this one.
    await appendFile(output, `{"kind":"record","id":"half`);
    const second = await audit('export', '--output', output, '--json');
    expect(JSON.parse(second.stdout)).toMatchObject({ records: 50 });
    const whole = await Program.run(['audit', 'verify', '--from', output, '--json']);
    expect(JSON.parse(whole.stdout)).toMatchObject({ ok: true, tenants: [{ verified: 3_052 }] });

    const { public_key } = JSON.parse(whole.stdout) as { public_key: string };
    const text = await readFile(output, 'utf8');
    await writeFile(file('changed.ndjson'), text.replace('"operation":"update"', '"operation":"read"'));
    const changed = await Program.run([
      'audit',
      'verify',
      '--from',
      file('changed.ndjson'),
      '--public-key',
      public_key,
    ]);
    expect(changed).toMatchObject({ code: 1, stdout: expect.stringContaining('Records were changed') });
    const foreign = await Program.run([
      'audit',
      'verify',
      '--from',
      output,
      '--public-key',
      Buffer.alloc(32, 7).toString('base64'),
    ]);
    expect(foreign.code).toBe(1);
  });

  it('reads back ids that some readers take for the end of a line', async () => {
    await database.owner.query(
      `insert into audit_records (tenant_id, entity_id, entity_type, operation, outcome)
        values ($1, E'a\\u2028b\\u2029c', 'token', 'read', 'success')`,
      [tenantId],
    );
    await sealByWorker();
    const output = file('lines.ndjson');
    await audit('export', '--output', output);
    const { stdout } = await Program.run(['audit', 'verify', '--from', output, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true });
  });

  it('leaves a file alone that is no export', async () => {
    await writeFile(file('notes.txt'), 'notes\n');
    const { code, stderr } = await audit('export', '--output', file('notes.txt'));
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('is not an export') });
    expect(await readFile(file('notes.txt'), 'utf8')).toBe('notes\n');
  });

  it.each([1, 300, 5_000, 60_000])('goes on from a file that was cut off %i bytes before its end', async (bytes) => {
    const output = file(`cut-${bytes}.ndjson`);
    await audit('export', '--output', output);
    const { size } = await stat(output);
    const whole = await readFile(output, 'utf8');
    await truncate(output, size - bytes);
    await audit('export', '--output', output);
    expect(await readFile(output, 'utf8')).toBe(whole);
  });

  it('says so where a file is no export', async () => {
    await writeFile(file('other.txt'), 'hello\n');
    const { code, stderr } = await Program.run(['audit', 'verify', '--from', file('other.txt')]);
    expect(code).toBe(1);
    expect(stderr).toContain('is not an export of an audit log');
  });

  it.each([
    ['2', 'format 2'],
    ['"1"', 'an unknown format'],
  ])('is neither verified nor continued in format %s, which nobody knows', async (version, name) => {
    const output = file('unknown.ndjson');
    await rm(output, { force: true });
    await audit('export', '--output', output);
    const text = (await readFile(output, 'utf8')).replace('"version":1', `"version":${version}`);
    await writeFile(output, text);
    const words = `is an export in ${name}, and this version of Strongroom reads format 1. Use the version that wrote the file.`;
    for (const flags of [
      ['--from', output],
      ['--from', output, '--public-key', Buffer.alloc(32).toString('base64')],
    ]) {
      const { code, stderr } = await Program.run(['audit', 'verify', ...flags]);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(words) });
    }
    const { code, stderr } = await audit('export', '--output', output);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(words) });
    expect(await readFile(output, 'utf8')).toBe(text);
  });
});

describe('audit prove', () => {
  it('prints a proof that holds without a database, and not for another record', async () => {
    const { rows } = await database.owner.query<{ id: string }>(
      `select id from audit_records where request_id = 'request 1234'`,
    );
    const { code, stdout } = await audit('prove', '--tenant', tenantId, '--record', rows[0]?.id ?? '');
    expect(code).toBe(0);
    const { public_key } = JSON.parse(stdout) as { public_key: string };
    await writeFile(file('proof.json'), stdout);
    await writeFile(file('forged.json'), stdout.replace('request 1234', 'request 4321'));
    const check = (name: string) => Program.run(['audit', 'check', file(name), '--public-key', public_key]);
    expect(await check('proof.json')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is in the sealed log'),
    });
    expect(await check('forged.json')).toMatchObject({ code: 1 });
  });
});
