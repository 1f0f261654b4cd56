import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { untilPasses } from '../../../../test/harness/deadline.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/test-database.ts';
import { LocalPostgres } from '../../local-postgres/local-postgres.ts';
import { migrate } from '../migrations/migrator.ts';
import { withScratchDatabase } from './scratch-database.ts';
import { ScratchSchema } from './scratch-schema.ts';

let vault: TestDatabase;
let end: () => void;
let loader: pg.Client;
let loaderUrl: string;
let working: Promise<void>;
beforeAll(async () => {
  vault = await createTestDatabase();
  const ready = Promise.withResolvers<void>();
  const ending = Promise.withResolvers<void>();
  end = ending.resolve;
  working = withScratchDatabase(inject('postgresUrl'), async (scratch) => {
    await migrate(scratch.ownerUrl);
    const schema = await ScratchSchema.open(scratch);
    await schema.openForRows([]);
    ({ loaderUrl } = scratch);
    loader = new pg.Client({ connectionString: loaderUrl });
    await loader.connect();
    ready.resolve();
    await ending.promise;
    await loader.end();
    await schema.close();
  });
  await Promise.race([ready.promise, working]);
});
afterAll(async () => {
  end();
  await working;
  await vault.drop();
});

describe('the role that loads a dump', () => {
  it('may add rows, and has no right besides', async () => {
    await loader.query(`insert into sign_in_attempts (subject_hash, attempts, started_at) values ('x', 1, now())`);
    const { rows } = await loader.query(
      `select rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as "hasRights",
        exists (select from pg_auth_members where member = oid) as "isMember" from pg_roles where rolname = current_user`,
    );
    expect(rows).toEqual([{ hasRights: false, isMember: false }]);
  });

  it.each([
    'select * from sign_in_attempts',
    'update tenants set name = name',
    'delete from tenants',
    'truncate tenants',
    'select * from schema_migrations',
    `insert into schema_migrations (version, name, checksum, is_breaking) values (99, '', '', false)`,
    'create table mine (id integer)',
    'create temporary table mine (id integer)',
    'create schema mine',
    'create function mine() returns integer language sql return 1',
    'create extension dblink',
    'alter table tenants disable trigger all',
    'set role strongroom_app',
    'set role strongroom_sealer',
    'set role postgres',
    'create role mine',
    'create database mine',
    `alter system set work_mem = '1GB'`,
    `copy sign_in_attempts from program 'true'`,
    `copy (select 1) to program 'true'`,
    `copy (select 1) to '/tmp/strongroom-scratch-attempt'`,
    `select pg_read_file('/etc/hostname')`,
    `select pg_ls_dir('/')`,
    `select lo_import('/etc/hostname')`,
  ])('may not: %s', async (text) => {
    await expect(loader.query(text)).rejects.toMatchObject({ code: '42501' });
  });

  it.each(['tokens', 'tenant_keys', 'system_keys', 'audit_records', 'users'])(
    'finds nothing in the vault beside it: %s',
    async (table) => {
      const url = new URL(loaderUrl);
      url.pathname = new URL(vault.url).pathname;
      const client = new pg.Client({ connectionString: url.href });
      await client.connect();
      await expect(client.query(`select * from ${table}`)).rejects.toMatchObject({ code: '42501' });
      await client.end();
    },
  );
});

describe('the database', () => {
  let busy: LocalPostgres;
  beforeAll(async () => {
    const settings = { fsync: 'off', autovacuum_naptime: '1s', autovacuum_vacuum_cost_delay: '100ms' };
    busy = await LocalPostgres.start({ password: 'test', settings });
  });
  afterAll(() => busy.stop());

  it('is dropped by an owner who is no superuser while an autovacuum is in it', async () => {
    const superuser = new pg.Client({ connectionString: busy.url });
    await superuser.connect();
    await superuser.query(`create role owner login createdb createrole password 'owner'`);
    const ownerUrl = new URL(busy.url);
    Object.assign(ownerUrl, { username: 'owner', password: 'owner' });
    await withScratchDatabase(ownerUrl.href, async (scratch) => {
      const client = new pg.Client({ connectionString: scratch.ownerUrl });
      await client.connect();
      await client.query('create table rows as select n, md5(n::text) from generate_series(1, 300000) n');
      await client.query('update rows set n = n + 1');
      await client.end();
      await untilPasses(async () => {
        const { rows } = await superuser.query(
          `select from pg_stat_activity where backend_type = 'autovacuum worker' and datname = $1`,
          [new URL(scratch.ownerUrl).pathname.slice(1)],
        );
        expect(rows).toHaveLength(1);
      });
    });
    const { rows } = await superuser.query(`select from pg_database where datname like 'strongroom_scratch_%'`);
    await superuser.end();
    expect(rows).toEqual([]);
  });
});

describe('the address of that role', () => {
  const base = new URL(inject('postgresUrl'));
  const login = `user=${base.username}&password=${base.password}`;
  it.each([
    ['in the usual place', base.href],
    ['in the query', `postgres://${base.host}/postgres?${login}`],
    ['in both places', `${base.href}?${login}`],
    ['several times in the query', `postgres://${base.host}/postgres?${login}&${login}`],
    ['in the query, with the host', `postgres:///postgres?host=${base.hostname}&port=${base.port}&${login}`],
  ])('names it where the owner is named %s', async (_name, ownerUrl) => {
    await withScratchDatabase(ownerUrl, async (scratch) => {
      const client = new pg.Client({ connectionString: scratch.loaderUrl });
      await client.connect();
      const { rows } = await client.query('select session_user::text as login, current_user::text as role');
      await client.end();
      expect(rows).toEqual([{ login: scratch.loaderRole, role: scratch.loaderRole }]);
    });
  });
});
