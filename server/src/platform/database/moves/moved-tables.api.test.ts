import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/test-database.ts';
import { parseTenantId } from '../../../core/identity/ids.ts';
import { AdminSession } from './admin-session.ts';
import { compareTables } from './comparison.ts';
import { copiedTables, keptTables, listMovedTables, listTenantTables } from './moved-tables.ts';
import { userColumns } from './people.ts';
import { ensurePublication, replicationNameOf } from './replication.ts';

const tenantId = parseTenantId('01a1f430-0000-7000-8000-000000000001');

let test: TestDatabase;
let admin: AdminSession;
beforeEach(async () => {
  test = await createTestDatabase();
  admin = await AdminSession.open(test.url, 'a setting');
});
afterEach(async () => {
  await admin.close();
  await test.drop();
});

const addTable = (key: string) =>
  test.owner.query(`create table notes (tenant_id uuid not null, id uuid not null, text text, primary key (${key}))`);
const names = (tables: readonly { readonly name: string }[]) => tables.map(({ name }) => name);

describe('the tables of a tenant that moves', () => {
  it('are replicated, copied or kept, each for one of these reasons', async () => {
    const all = names(await listTenantTables(admin));
    const moved = names(await listMovedTables(admin));
    expect([...moved, ...copiedTables, ...Object.keys(keptTables)].toSorted()).toEqual(all.toSorted());
    for (const [table, reason] of Object.entries(keptTables)) expect(reason, table).toMatch(/^[A-Z].{20,}\.$/);
  });

  it('include each table that is added, in the publication and in the comparison', async () => {
    await addTable('tenant_id, id');
    const tables = await listMovedTables(admin);
    expect(names(tables)).toContain('notes');
    await ensurePublication(admin, tenantId, tables).catch(() => undefined);
    const published = await admin.query<{ name: string }>(
      'select tablename as name from pg_publication_tables where pubname = $1',
      [replicationNameOf(tenantId)],
    );
    expect(names(published).toSorted()).toEqual(names(tables).toSorted());

    const other = await createTestDatabase();
    await other.owner.query('create table notes (tenant_id uuid, id uuid, text text)');
    const there = await AdminSession.open(other.url, 'a setting');
    const compare = () => compareTables({ source: admin, target: there }, { tenantId, tables, part: undefined });
    expect(await compare()).toEqual({ tables: tables.length, rows: 0 });
    await test.owner.query(`insert into notes values ($1, gen_random_uuid(), 'here only')`, [tenantId]);
    await expect(compare()).rejects.toThrow('notes (1 and 0 rows)');
    await there.close();
    await other.drop();
  });

  it('name people only in columns whose ids are replaced by those of the other cell', async () => {
    const columns = await admin.query<{ name: string }>(
      `select distinct column_name::text as name from information_schema.columns
        where table_schema = 'public' and data_type = 'uuid' and table_name = any ($1)
          and (column_name like '%\\_by' or column_name like '%user\\_id')`,
      [[...names(await listMovedTables(admin)), 'members', 'former_members']],
    );
    expect(columns.map(({ name }) => name).toSorted()).toEqual([...userColumns].toSorted());
  });

  it('refuse a table whose rows PostgreSQL could not tell apart by tenant', async () => {
    await addTable('id');
    await expect(listMovedTables(admin)).rejects.toThrow('The primary key of notes lacks the tenant');
  });

  it('differ if one value in one row does', async () => {
    const other = await createTestDatabase();
    const there = await AdminSession.open(other.url, 'a setting');
    const tables = await listMovedTables(admin);
    const add = (database: TestDatabase, name: string) =>
      database.owner.query(`insert into tenants (id, name, type, created_at) values ($1, $2, 'test', '2026-01-01')`, [
        tenantId,
        name,
      ]);
    await add(test, 'Acme');
    await add(other, 'Acme!');
    const compare = () => compareTables({ source: admin, target: there }, { tenantId, tables, part: undefined });
    await expect(compare()).rejects.toThrow('tenants (other contents)');
    await other.owner.query(`update tenants set name = 'Acme'`);
    expect(await compare()).toMatchObject({ rows: 1 });
    await there.close();
    await other.drop();
  });
});
