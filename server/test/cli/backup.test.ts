import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { generateRootKey, parseRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { readMigrations } from '../../src/platform/database/migrations/migration-files.ts';
import { migrate } from '../../src/platform/database/migrations/migrator.ts';
import { untilTrue } from '../harness/deadline.ts';
import { Program } from '../harness/program.ts';
import { createTestDatabase } from '../harness/test-database.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

const run = promisify(execFile);
const rootKey = generateRootKey();
let vault: TestVault;
let tenant: TestTenant;
let directory: string;
let settings: Record<string, string>;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'strongroom-backup-'));
  vault = await TestVault.start(parseRootKey(rootKey));
  tenant = await vault.makeTenant();
  await vault.makeTenant();
  settings = { STRONGROOM_DATABASE_URL: vault.database.url, STRONGROOM_ROOT_KEY: rootKey };
  const body = Array.from({ length: 30 }, (_, index) => ({ id: `saved-${index}`, type: 'token', data: index }));
  expect((await vault.request('POST', '/tokenize', { key: tenant.keys.private, body })).status).toBe(200);
});
afterEach(() => Program.killAll());
afterAll(async () => {
  await vault.stop();
  await rm(directory, { recursive: true });
});

async function dump(format: 'custom' | 'directory' | 'tar' | 'plain'): Promise<string> {
  const file = path.join(directory, crypto.randomUUID());
  await run('pg_dump', [`--format=${format}`, `--file=${file}`, vault.database.url]);
  return file;
}
const verify = (file: string, ...more: string[]) =>
  Program.run(['backup', 'verify', '--dump', file, ...more], settings);
/** Lists the databases and roles that exist during a check. */
const listScratch = async () =>
  (
    await vault.database.owner.query(`select datname from pg_database where datname like 'strongroom\\_scratch%'
      union all select rolname from pg_roles where rolname like 'strongroom\\_scratch%'`)
  ).rows;

describe('backup verify', () => {
  it.each(['custom', 'directory', 'tar'] as const)('opens everything in a dump of format %s', async (format) => {
    const { code, stdout } = await verify(await dump(format), '--json');
    expect({ code, ...(JSON.parse(stdout) as object) }).toMatchObject({
      code: 0,
      ok: true,
      key_versions: 6,
      tenants: expect.arrayContaining([
        expect.objectContaining({ tenant_id: tenant.id, tokens: 30, opened: 30, unopened: 0 }),
      ]),
    });
    expect(await listScratch()).toEqual([]);
  });

  it('opens a sample where that is asked for, and says so to people', async () => {
    const { code, stdout } = await verify(await dump('custom'), '--sample', '7');
    expect(code).toBe(0);
    expect(stdout).toContain('unwraps all 6 tenant keys.\n7 of 30 tokens of 2 tenants decrypted, 0 failed.');
    expect(stdout).toContain('This backup can be restored and read.');
  });

  it('counts what does not open, and names a key that is missing', async () => {
    const { owner } = vault.database;
    await owner.query(`create table kept as select * from tokens where id in ('saved-1', 'saved-2')`);
    await owner.query(`update tokens set data = set_byte(data, 70, get_byte(data, 70) # 1) where id = 'saved-1'`);
    await owner.query(`update tokens set data = set_byte(data, 5, 9) where id = 'saved-2'`);
    try {
      const { code, stdout } = await verify(await dump('custom'));
      expect(code).toBe(1);
      expect(stdout).toContain(`FAIL tenant ${tenant.id}: 2 tokens cannot be decrypted, such as saved-1, saved-2.`);
      expect(stdout).toContain(`FAIL tenant ${tenant.id}: 1 tokens need version 9 of its data key`);
      expect(stdout).toContain('This backup is incomplete or damaged.');
    } finally {
      await owner.query('update tokens set data = kept.data from kept where kept.id = tokens.id');
      await owner.query('drop table kept');
    }
  });

  it('refuses another root key, and leaves nothing behind', async () => {
    settings = { ...settings, STRONGROOM_ROOT_KEY: generateRootKey() };
    const { code, stderr } = await verify(await dump('custom'));
    settings = { ...settings, STRONGROOM_ROOT_KEY: rootKey };
    expect(code).toBe(1);
    expect(stderr).toContain('Wrong root key');
    expect(await listScratch()).toEqual([]);
  });

  it('says what is wrong with something that is no dump of a vault', async () => {
    const other = await createTestDatabase('template1');
    const file = path.join(directory, 'other.dump');
    await other.owner.query('create table other (id integer)');
    await run('pg_dump', ['--format=custom', `--file=${file}`, other.url]);
    await other.drop();
    expect((await verify(file)).stderr).toContain('This is not a dump of a vault');
    await writeFile(file, 'PGDMP, and then nothing more');
    expect((await verify(file)).stderr).toContain('The dump cannot be restored. pg_restore reported:');
    expect((await verify(path.join(directory, 'absent'))).stderr).toContain('cannot be read. Check its name');
    expect(await listScratch()).toEqual([]);
  });

  it('opens a dump of an earlier schema, and of earlier months', async () => {
    const earlier = await createTestDatabase('template1');
    const file = path.join(directory, 'earlier.dump');
    await migrate(earlier.url, (await readMigrations()).slice(0, 12));
    await earlier.owner.query(`create table audit_records_2020_02 partition of audit_records
      for values from ('2020-02-01Z') to ('2020-03-01Z')`);
    await earlier.owner.query(`insert into audit_records (tenant_id, entity_id, created_at, entity_type, operation, outcome)
      values (gen_random_uuid(), 'x', '2020-02-02Z', 'token', 'read', 'success')`);
    await run('pg_dump', ['--format=custom', `--file=${file}`, earlier.url]);
    await earlier.drop();
    const { code, stdout } = await verify(file, '--json');
    const newest = (await readMigrations()).length;
    expect({ code, ...(JSON.parse(stdout) as object) }).toMatchObject({
      code: 0,
      schema_version: 12,
      migrated_to: newest,
    });
  });

  it('says which program is missing', async () => {
    const file = await dump('custom');
    const { code, stderr } = await Program.run(['backup', 'verify', '--dump', file], { ...settings, PATH: directory });
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('pg_restore is not installed.'),
    });
    expect(await listScratch()).toEqual([]);
  });

  it('drops the scratch database when it is stopped', async () => {
    const programs = await mkdtemp(path.join(directory, 'bin-'));
    await writeFile(path.join(programs, 'pg_restore'), '#!/bin/sh\nexec /bin/sleep 60\n');
    await chmod(path.join(programs, 'pg_restore'), 0o755);
    const slow = { ...settings, PATH: programs };
    const program = Program.start(['backup', 'verify', '--dump', await dump('custom')], slow);
    const isRestoring = async () => (await listScratch()).length > 0;
    await untilTrue(isRestoring, { waitingFor: 'the scratch database' });
    const { code, stderr } = await program.stop('SIGINT');
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('Stopped before the dump') });
    expect(await listScratch()).toEqual([]);
  });
});
