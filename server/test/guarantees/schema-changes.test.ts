import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ensureAuditPartitions } from '../../src/platform/audit/retention/audit-partitions-job.ts';
import { type Migration, readMarkers, readMigrations } from '../../src/platform/database/migrations/migration-files.ts';
import { migrate } from '../../src/platform/database/migrations/migrator.ts';
import { untilTrue } from '../harness/deadline.ts';
import { createTestDatabase } from '../harness/test-database.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

const run = promisify(execFile);
/**
 * The time limit is far longer than a request takes, and far shorter than the time for which a request would be blocked
 * by an idle reader.
 */
const promptMs = 5_000;
const pace = { lockTimeoutMs: 200, pauseMs: 50, patienceMs: 20_000 };
let vault: TestVault;
let tenant: TestTenant;
let known: Migration[];
const holders: pg.Client[] = [];
beforeAll(async () => {
  known = await readMigrations();
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterEach(async () => {
  await Promise.all(holders.splice(0).map((holder) => holder.end()));
});
afterAll(() => vault.stop());

/** Opens a transaction that stays idle after its statement, like pg_dump while it waits for its disk. */
async function hold(statement: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: vault.database.url, application_name: 'holder' });
  await client.connect();
  holders.push(client);
  await client.query(`begin; ${statement}`);
  return client;
}

async function dropLastMonth(): Promise<string> {
  const { rows } = await vault.database.owner.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit_records'::regclass order by 1 desc limit 1`,
  );
  const name = rows[0]?.name ?? '';
  await vault.database.owner.query(`drop table ${name}`);
  return name;
}
const isAttached = async (name: string) =>
  (await vault.database.owner.query('select from pg_inherits where inhrelid = to_regclass($1)', [name])).rowCount === 1;
const read = async () => (await vault.request('GET', '/tokens/absent', { key: tenant.keys.reveal })).status;
const waiters = async () =>
  (
    await vault.database.owner.query(`select from pg_locks where not granted and database =
    (select oid from pg_database where datname = current_database())`)
  ).rowCount ?? 0;

async function expectPrompt<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  expect(performance.now() - startedAt).toBeLessThan(promptMs);
  return result;
}

describe('a new month of the audit log', () => {
  it.each([
    ['a reader', 'select count(*) from audit_records'],
    [
      'a writer',
      `insert into audit_records (tenant_id, entity_id, entity_type, operation, outcome) values (gen_random_uuid(), 'x', 'token', 'read', 'success')`,
    ],
  ])('is made beside %s who has not finished, and no request waits', async (_, statement) => {
    const name = await dropLastMonth();
    await hold(statement);
    const [, status] = await expectPrompt(() =>
      Promise.all([ensureAuditPartitions(vault.server.core.database), read()]),
    );
    expect(status).toBe(404);
    expect(await isAttached(name)).toBe(true);
  });

  it('gives way to somebody who changes the log, and comes back', async () => {
    const name = await dropLastMonth();
    const holder = await hold('lock table audit_records in share update exclusive mode');
    const making = ensureAuditPartitions(vault.server.core.database);
    await untilTrue(async () => (await waiters()) > 0, { waitingFor: 'a try' });
    expect(await expectPrompt(read)).toBe(404);
    await untilTrue(async () => (await waiters()) === 0, { waitingFor: 'it to give way' });
    await holder.query('rollback');
    await making;
    expect(await isAttached(name)).toBe(true);
  });

  it('is like one that a migration made', async () => {
    const name = await dropLastMonth();
    await ensureAuditPartitions(vault.server.core.database);
    const describeTable = `select relrowsecurity, relforcerowsecurity, relacl,
      array(select attname || ' ' || format_type(atttypid, atttypmod) || attnotnull || coalesce(pg_get_expr(adbin, adrelid), '')
        from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum where attrelid = c.oid and attnum > 0 order by attnum) as columns,
      array(select replace(pg_get_indexdef(indexrelid), relname, '') from pg_index where indrelid = c.oid order by 1) as indexes,
      array(select replace(conname, relname, '') from pg_constraint where conrelid = c.oid order by 1) as constraints
      from pg_class c where oid = to_regclass($1)`;
    const { rows: made } = await vault.database.owner.query(describeTable, [name]);
    const now = new Date().toISOString().slice(0, 7).replace('-', '_');
    const { rows: migrated } = await vault.database.owner.query(describeTable, [`audit_records_${now}`]);
    expect(made).toEqual(migrated);
  });
});

describe('a migration', () => {
  const planted = (...texts: string[]): Migration[] => [
    ...known,
    ...texts.map((sql, index) => ({
      version: known.length + index + 1,
      name: 'planted',
      sql,
      checksum: 'c0ffee',
      ...readMarkers(sql),
    })),
  ];
  const forget = (...statements: string[]) =>
    vault.database.owner.query([`delete from schema_migrations where name = 'planted'`, ...statements].join('; '));

  it('gives way behind a busy table, and tries again', async () => {
    const holder = await hold('select count(*) from tokens');
    const migrating = migrate(vault.database.url, planted('alter table tokens add column planted integer'), pace);
    for (let tries = 0; tries < 3; tries += 1) {
      await untilTrue(async () => (await waiters()) > 0, { waitingFor: 'a try' });
      expect(await expectPrompt(read)).toBe(404);
      await untilTrue(async () => (await waiters()) === 0, { waitingFor: 'it to give way' });
    }
    await holder.query('commit');
    expect((await migrating).applied).toEqual(['planted']);
    await forget('alter table tokens drop column planted');
  });

  it('says so when the table stays busy, and has changed nothing', async () => {
    await hold('select count(*) from tokens');
    const migrating = migrate(
      vault.database.url,
      planted('create table half (id integer); alter table tokens add column planted integer'),
      {
        ...pace,
        patienceMs: 1,
      },
    );
    await expect(migrating).rejects.toThrow(/_planted could not get its locks because of long-running transactions/);
    const { rows } = await vault.database.owner.query(`select to_regclass('half') as half`);
    expect(rows).toEqual([{ half: null }]);
  });

  it('may be one statement outside a transaction, and begins again after a failure', async () => {
    const { owner } = vault.database;
    await owner.query('create table extra (id integer); insert into extra values (1), (1)');
    const text = '-- no transaction\ncreate unique index concurrently extra_key on extra (id)';
    await expect(migrate(vault.database.url, planted(text), pace)).rejects.toThrow(
      /_planted failed; run `strongroom migrate` again/,
    );
    await owner.query('truncate extra');
    expect((await migrate(vault.database.url, planted(text), pace)).applied).toEqual(['planted']);
    const { rows } = await owner.query(`select indisvalid from pg_index where indexrelid = 'extra_key'::regclass`);
    expect(rows).toEqual([{ indisvalid: true }]);
    await forget('drop table extra');
  });

  it('may be one statement for each partition, and goes on with the others after a failure', async () => {
    const { owner } = vault.database;
    const text =
      '-- no transaction\n-- each partition of audit_records\ncreate index concurrently :partition_planted on :partition (tenant_id, planted)';
    await owner.query(`alter table audit_records add column planted text`);
    const { rows } = await owner.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit_records'::regclass order by 1`,
    );
    const [first, , third] = rows.map(({ name }) => name);
    // This table conflicts with the index of the third partition, so the migration stops after two partitions.
    await owner.query(`create table ${third}_planted (id integer)`);
    await expect(migrate(vault.database.url, planted(text), pace)).rejects.toThrow(
      /_planted failed; run `strongroom migrate`/,
    );
    await owner.query(`drop table ${third}_planted`);
    const validIndexes = `select from pg_index join pg_class on oid = indexrelid where relname ~ '^audit_records_.*_planted$' and indisvalid`;
    expect((await owner.query(validIndexes)).rowCount).toBe(2);
    const { rows: before } = await owner.query(`select '${first}_planted'::regclass::oid as oid`);
    expect((await migrate(vault.database.url, planted(text), pace)).applied).toEqual(['planted']);
    expect((await owner.query(validIndexes)).rowCount).toBe(rows.length);
    expect((await owner.query(`select '${first}_planted'::regclass::oid as oid`)).rows).toEqual(before);
    await forget('alter table audit_records drop column planted');
  });

  it('runs under a server of the version before, which serves meanwhile and afterwards', async () => {
    const statuses = new Set<number>();
    const migrated = new AbortController();
    const load = async () => {
      while (!migrated.signal.aborted) {
        const made = await vault.request('POST', '/tokens', {
          key: tenant.keys.private,
          body: { type: 'token', data: 'x' },
        });
        const { id } = made.body as { id: string };
        statuses.add(made.status);
        statuses.add((await vault.request('GET', `/tokens/${id}`, { key: tenant.keys.reveal })).status);
      }
    };
    const loading = [load(), load(), load()];
    const { applied } = await migrate(
      vault.database.url,
      planted(
        `alter table tokens add column planted text not null default ''; alter table audit_records add column planted text`,
        '-- no transaction\ncreate index concurrently tokens_planted on tokens (tenant_id, planted)',
        'create table planted (id integer)',
      ),
      pace,
    );
    migrated.abort();
    await Promise.all(loading);
    expect(applied).toHaveLength(3);
    expect(statuses).toEqual(new Set([201, 200]));
    const another = await vault.startAnother();
    expect((await vault.request('GET', '/tokens', { key: tenant.keys.private, url: another.url })).status).toBe(200);
    await forget(
      'alter table tokens drop column planted',
      'alter table audit_records drop column planted',
      'drop table planted',
    );
  });
});

describe('the schema', () => {
  it('is the same, byte by byte, whether it was made at once or brought up from an earlier version', async () => {
    const [fresh, upgraded] = await Promise.all([createTestDatabase('template1'), createTestDatabase('template1')]);
    const client = new pg.Client({ connectionString: upgraded.url });
    await client.connect();
    await client.query(await readFile(path.join(import.meta.dirname, 'vectors/schema-0015.sql'), 'utf8'));
    await client.end();
    const reports = await Promise.all([migrate(fresh.url), migrate(upgraded.url)]);
    expect(reports.map(({ applied }) => applied.length)).toEqual([known.length, known.length - 15]);
    const [first, second] = await Promise.all([dumpSchema(fresh.url), dumpSchema(upgraded.url)]);
    expect(second).toBe(first);
    expect(first.length).toBeGreaterThan(10_000);
    await Promise.all([fresh.drop(), upgraded.drop()]);
  });
});

/** Dumps the schema without the audit log's months, which depend on the date, and without randomly generated lines. */
async function dumpSchema(url: string): Promise<string> {
  const { stdout } = await run('pg_dump', ['--schema-only', '--exclude-table=audit_records_2*', url]);
  return stdout.replaceAll(/^\\.*$/gm, '');
}
