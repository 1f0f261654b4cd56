import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WireRelay } from '../../../test/harness/wire-relay.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/harness/test-database.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { Database, Transaction } from './database.ts';
import { StatementError } from './database-error.ts';

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
    expect(
      await single.forSystem((tx) => tx.query({ text: `select current_setting('app.tenant_id', true) as tenant` })),
    ).toEqual([{ tenant: '' }]);
  });

  it('rolls back when the work throws, and the connection stays usable', async () => {
    const single = test.open({ connectionsMax: 1 });
    const attempt = single.forTenant(alpha, async (tx) => {
      await tx.query({ text: `update tenants set name = 'changed'` });
      throw new RangeError('planned');
    });
    await expect(attempt).rejects.toThrow(RangeError);
    expect(await single.forTenant(alpha, (tx) => tx.query({ text: 'select name from tenants' }))).toEqual([
      { name: 'T' },
    ]);
  });

  it('tells why the first statement failed, not that the ones behind it were in vain', async () => {
    const work = (tx: Transaction) =>
      Promise.all([
        // The extra `then` calls make this rejection arrive later than the others.
        tx
          .query({ text: 'select 1 / 0' })
          .then((rows) => rows)
          .then((rows) => rows),
        tx.query({ text: 'select 1' }),
        tx.query({ text: 'select 2' }),
      ]);
    await expect(database.forTenant(alpha, work)).rejects.toMatchObject({ sqlState: '22012' });
  });

  it('refuses a statement after the transaction has ended, however it ended', async () => {
    const handles: Transaction[] = [];
    await database.forTenant(alpha, async (tx) => handles.push(tx));
    await database
      .forTenant(alpha, async (tx) => {
        handles.push(tx);
        throw new Error('undone');
      })
      .catch(() => undefined);
    expect(handles).toHaveLength(2);
    for (const tx of handles)
      await expect(tx.query({ text: 'select 1' })).rejects.toThrow('after its transaction had ended');
  });

  it('never lets a tenant id become SQL', () => {
    const hostile = `x'; drop table tenants; --` as TenantId;
    expect(() => database.forTenant(hostile, (tx) => tx.query(visibleTenants))).toThrow(TypeError);
  });
});

describe('runForTenant', () => {
  it('runs one statement within its tenant', async () => {
    expect(await database.runForTenant(alpha, visibleTenants)).toEqual([{ id: alpha }]);
    expect(await database.runForTenant(beta, visibleTenants)).toEqual([{ id: beta }]);
  });

  it('writes nothing when the statement is refused, and the connection stays usable', async () => {
    const single = test.open({ connectionsMax: 1 });
    const write = single.runForTenant(alpha, { text: `update tenants set name = 'changed', type = 'unknown'` });
    await expect(write).rejects.toMatchObject({ constraint: 'tenants_type_known' });
    expect(await single.runForTenant(alpha, { text: 'select name from tenants' })).toEqual([{ name: 'T' }]);
  });

  it('keeps tenants apart on one connection under concurrent use', async () => {
    const single = test.open({ connectionsMax: 1 });
    const tenants = Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? alpha : beta));
    const seen = await Promise.all(tenants.map((id) => single.runForTenant(id, visibleTenants)));
    expect(seen).toEqual(tenants.map((id) => [{ id }]));
  });
});

describe('a race that PostgreSQL decides against the statement', () => {
  const ways: [string, (text: string) => Promise<unknown>][] = [
    ['runForTenant', (text) => database.runForTenant(alpha, { text })],
    ['forTenant', (text) => database.forTenant(alpha, (tx) => tx.query({ text }))],
  ];
  beforeAll(async () => {
    await test.owner.query(`create sequence tries; grant usage on sequence tries to strongroom_app;
      create function lose(times integer, code text) returns bigint language plpgsql as $$
      declare try bigint := nextval('tries');
      begin
        if try <= times then raise exception 'lost' using errcode = code; end if;
        return try;
      end $$`);
  });
  beforeEach(() => test.owner.query('alter sequence tries restart'));
  const tries = async () => {
    const { rows } = await test.owner.query<{ tries: number }>('select last_value::int as tries from tries');
    return rows[0]?.tries;
  };

  it.each(ways)('is run again by %s', async (_name, run) => {
    for (const code of ['40P01', '40001']) {
      await test.owner.query('alter sequence tries restart');
      expect(await run(`select lose(2, '${code}')::int as try`)).toEqual([{ try: 3 }]);
    }
  });

  it.each(ways)('is lost for good after three tries of %s', async (_name, run) => {
    await expect(run(`select lose(9, '40P01')`)).rejects.toMatchObject({ sqlState: '40P01' });
    expect(await tries()).toBe(3);
  });

  it.each(ways)('is told apart from another refusal by %s', async (_name, run) => {
    await expect(run(`select lose(9, '23505')`)).rejects.toMatchObject({ sqlState: '23505' });
    expect(await tries()).toBe(1);
  });
});

describe('forSystem', () => {
  it('sees every tenant', async () => {
    const rows = await database.forSystem((tx) => tx.query(visibleTenants));
    expect(rows).toHaveLength(2);
  });

  it.each(['tokens', 'audit_records', 'members', 'users', 'invitations', 'user_passwords', 'user_sessions'])(
    'may not read %s',
    async (table) => {
      const read = database.forSystem((tx) => tx.query({ text: `select * from ${table}` }));
      await expect(read).rejects.toMatchObject({ sqlState: '42501' });
    },
  );
});

describe('forPortal', () => {
  it.each(['id, name from tenants', '* from members', '* from users', '* from user_passwords'])(
    'reads %s',
    async (what) => {
      await database.forPortal((tx) => tx.query({ text: `select ${what}` }));
    },
  );

  it.each([
    'select * from tokens',
    'select * from audit_records',
    'select * from tenant_keys',
    'select * from system_keys',
    'select * from application_keys',
    'select settings from tenants',
    'select permissions from applications',
    'delete from members',
    'delete from users',
    `update invitations set role = 'ADMIN'`,
  ])('may not %s', async (text) => {
    const attempt = database.forPortal((tx) => tx.query({ text }));
    await expect(attempt).rejects.toMatchObject({ sqlState: '42501' });
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
    const queued = small.runForTenant(alpha, { text: 'select 1' });
    await expect(small.runForTenant(alpha, { text: 'select 1' })).rejects.toMatchObject({ code: 'overloaded' });
    free();
    await Promise.all([busy, queued]);
    await expect(small.runForTenant(alpha, { text: 'select 1 as one' })).resolves.toEqual([{ one: 1 }]);
  });

  it('closes the connections that it opened before the database fell silent on one', async () => {
    let isSilent = false;
    const relay = await WireRelay.start(test.url, { silences: () => isSilent });
    const hasty = test.open({ url: relay.urlOf(test.url), statementTimeoutMs: 3_000 });
    const ask = async () => {
      const text = 'select pg_backend_pid() as pid, pg_sleep(0.2)';
      return (await hasty.runForTenant<{ pid: number }>(alpha, { text }))[0]?.pid;
    };
    const before = await Promise.all([ask(), ask()]);
    expect(new Set(before).size).toBe(2);
    isSilent = true;
    await expect(ask()).rejects.toMatchObject({ code: 'overloaded' });
    isSilent = false;
    expect(before).not.toContain(await ask());
    await relay.stop();
  });

  it('gives up a statement that takes too long and never reuses its connection', async () => {
    const hasty = test.open({ connectionsMax: 1, statementTimeoutMs: 3_000 });
    const first = await hasty.runForTenant<{ pid: number }>(alpha, { text: 'select pg_backend_pid() as pid' });
    await expect(hasty.runForTenant(alpha, { text: 'select pg_sleep(600)' })).rejects.toMatchObject({
      code: 'overloaded',
    });
    const second = await hasty.runForTenant<{ pid: number }>(alpha, { text: 'select pg_backend_pid() as pid' });
    expect(second[0]?.pid).not.toBe(first[0]?.pid);
  });

  it('turns a request away if PostgreSQL starts no session, whatever the reason', async () => {
    const url = new URL(test.url);
    url.pathname = '/nowhere';
    const lost = test.open({ url: url.href });
    const outages: unknown[] = [];
    lost.onReach((outage) => outages.push(outage));
    await expect(lost.runForTenant(alpha, visibleTenants)).rejects.toMatchObject({ code: 'overloaded' });
    expect(outages).toMatchObject([{ reason: 'no such database' }]);
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
