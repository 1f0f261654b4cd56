import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/harness/test-database.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { Database } from './database.ts';
import { StatementError } from './database-error.ts';
import { tenantScope } from './tenant-scope.ts';

let test: TestDatabase;
let database: Database;
const alpha = crypto.randomUUID() as TenantId;
const beta = crypto.randomUUID() as TenantId;

beforeAll(async () => {
  test = await createTestDatabase();
  database = test.open();
  for (const id of [alpha, beta]) {
    await database.forTenant(id, (tx) =>
      tx.query({ text: `insert into tenants (id, name, type) values ($1, 'T', 'test')`, values: [id] }),
    );
  }
});
afterAll(() => test.drop());

const visibleTenants = { text: 'select id from tenants' };

describe('forTenant', () => {
  it('shows one tenant to a query that forgets its filter', async () => {
    expect(await database.forTenant(alpha, (tx) => tx.query(visibleTenants))).toEqual([{ id: alpha }]);
  });

  it('refuses to write a row of another tenant', async () => {
    const write = database.forTenant(alpha, (tx) =>
      tx.query({
        text: `insert into members (tenant_id, id, user_id, role) values ($1, $2, $2, 'ADMIN')`,
        values: [beta, crypto.randomUUID()],
      }),
    );
    await expect(write).rejects.toMatchObject({ sqlState: '42501' });
  });

  it('leaves no tenant behind on a pooled connection', async () => {
    const single = test.open({ connectionsMax: 1 });
    await single.forTenant(alpha, (tx) => tx.query(visibleTenants));
    expect(await single.single(visibleTenants)).toEqual([]);
  });

  it('rolls back when the work throws, and the connection stays usable', async () => {
    const single = test.open({ connectionsMax: 1 });
    const attempt = single.forTenant(alpha, async (tx) => {
      await tx.query({ text: `update tenants set name = 'changed'` });
      throw new RangeError('planned');
    });
    await expect(attempt).rejects.toThrow(RangeError);
    expect(await single.forTenant(alpha, (tx) => tx.query({ text: 'select name from tenants' }))).toEqual([{ name: 'T' }]);
  });

  it('never lets a tenant id become SQL', () => {
    const hostile = `x'; drop table tenants; --` as TenantId;
    expect(() => database.forTenant(hostile, (tx) => tx.query(visibleTenants))).toThrow(TypeError);
  });
});

describe('a scoped single statement', () => {
  const read = (tenantId: TenantId) =>
    database.single({
      name: 'test-read',
      text: `with ${tenantScope}
        select found.id from scope
        cross join lateral (select id from tenants where id = scope.tenant_id offset 0) as found`,
      values: [tenantId],
    });

  it('reads and writes within its tenant in one round trip', async () => {
    expect(await read(alpha)).toEqual([{ id: alpha }]);
    expect(await read(beta)).toEqual([{ id: beta }]);
  });

  it('shows nothing when it forgets its scope', async () => {
    expect(await database.single(visibleTenants)).toEqual([]);
  });
});

describe('forSystem', () => {
  it('sees every tenant', async () => {
    const rows = await database.forSystem((tx) => tx.query(visibleTenants));
    expect(rows).toHaveLength(2);
  });

  it.each(['tokens', 'audit_records', 'members', 'users'])('may not read %s', async (table) => {
    const read = database.forSystem((tx) => tx.query({ text: `select * from ${table}` }));
    await expect(read).rejects.toMatchObject({ sqlState: '42501' });
  });
});

describe('the application role', () => {
  it.each([
    `update audit_records set operation = 'read'`,
    'delete from audit_records',
    'truncate audit_records',
    'drop table tokens',
    'alter table tokens disable row level security',
    'create table mine (id int)',
    'select wrapped from system_keys',
  ])('may not %s', async (text) => {
    await expect(database.forTenant(alpha, (tx) => tx.query({ text }))).rejects.toBeInstanceOf(StatementError);
  });

  it('has row-level security forced on every tenant table', async () => {
    const { rows } = await test.owner.query(
      `select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
       where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
         and not (c.relrowsecurity and c.relforcerowsecurity)`,
    );
    expect(rows).toEqual([]);
  });
});

describe('limits', () => {
  it('turns a request away when the queue is full, and recovers', async () => {
    const small = test.open({ connectionsMax: 1, queueMax: 1 });
    let free: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      free = resolve;
    });
    const busy = small.forTenant(alpha, () => held);
    const queued = small.single({ text: 'select 1' });
    await expect(small.single({ text: 'select 1' })).rejects.toMatchObject({ code: 'overloaded' });
    free();
    await Promise.all([busy, queued]);
    await expect(small.single({ text: 'select 1 as one' })).resolves.toEqual([{ one: 1 }]);
  });

  it('gives up a statement that takes too long and never reuses its connection', async () => {
    const hasty = test.open({ connectionsMax: 1, statementTimeoutMs: 100 });
    const first = await hasty.single<{ pid: number }>({ text: 'select pg_backend_pid() as pid' });
    await expect(hasty.single({ text: 'select pg_sleep(5)' })).rejects.toMatchObject({ code: 'overloaded' });
    const second = await hasty.single<{ pid: number }>({ text: 'select pg_backend_pid() as pid' });
    expect(second[0]?.pid).not.toBe(first[0]?.pid);
  });

  it('says nothing of a row in an error', async () => {
    const secret = 'canary-4242';
    const failed = await database
      .forTenant(alpha, (tx) => tx.query({ text: 'select $1::text::integer', values: [secret] }))
      .catch((error: unknown) => error);
    expect(JSON.stringify(failed, Object.getOwnPropertyNames(failed))).not.toContain(secret);
    expect(String(failed)).not.toContain(secret);
  });
});
