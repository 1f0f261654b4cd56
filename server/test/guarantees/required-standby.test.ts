import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { VaultCore } from '../../src/app/wiring/vault-core.ts';
import { parseTenantId } from '../../src/core/identity/ids.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { mayHaveHappened } from '../../src/platform/database/database-error.ts';
import { migrate } from '../../src/platform/database/migrations/migrator.ts';
import { TenantBatcher } from '../../src/platform/database/tenant-batcher.ts';
import { judgeGround } from '../../src/platform/database/ground/ground-checks.ts';
import { readGround } from '../../src/platform/database/ground/ground-reading.ts';
import { untilTrue } from '../harness/deadline.ts';
import { ReplicatedPostgres } from '../harness/replicated-postgres.ts';
import { openTestDatabase, type TestDatabase } from '../harness/test-database.ts';
import { TestVault } from '../harness/test-vault.ts';

// With STRONGROOM_REQUIRE_SYNCHRONOUS_STANDBY, a write is acknowledged only if it is stored on two machines. Otherwise
// it is refused.

const tenantId = parseTenantId(crypto.randomUUID());
const insert = { text: 'insert into probe values (1)' };
const select = { text: 'select count(*)::integer as count from probe' };
const ways: [string, (database: Database) => Promise<unknown>][] = [
  ['one statement', (database) => database.runForTenant(tenantId, insert)],
  ['a transaction', (database) => database.forTenant(tenantId, (tx) => tx.query(insert))],
];

let postgres: ReplicatedPostgres;
let test: TestDatabase;
let database: Database;
beforeAll(async () => {
  postgres = await ReplicatedPostgres.start();
  await migrate(postgres.primary.url);
  test = openTestDatabase(postgres.primary.url);
  await test.owner.query('create table probe (number integer)');
  await test.owner.query('grant select, insert on probe to strongroom_app, strongroom_system');
  await postgres.startStandby();
  await postgres.requireStandby('ANY 1 (second)');
  database = test.open({ requiresStandby: true });
});
afterEach(() => postgres.requireStandby('ANY 1 (second)'));
afterAll(async () => {
  await test.drop();
  await postgres.stop();
});

const countRows = async () => (await test.owner.query('select from probe')).rows.length;
const waiting = `from pg_stat_activity where wait_event = 'SyncRep'`;
const countWaiting = async () => (await test.owner.query(`select ${waiting}`)).rows.length;
const refusal = {
  code: 'standby-missing',
  message: expect.stringMatching(/^No synchronous standby is attached /),
};

describe.each(ways)('a write by %s', (_name, write) => {
  it('is stored with a standby, refused without one, and stored again with one, all on the same connections', async () => {
    const before = await countRows();
    await write(database);
    expect(await countRows()).toBe(before + 1);
    const { open } = database.usage;

    await postgres.requireStandby('');
    for (const _ of [1, 2, 3]) {
      const refused = await failureOf(write(database));
      expect(refused).toMatchObject(refusal);
      expect(mayHaveHappened(refused)).toBe(false);
    }
    expect([await countRows(), database.usage.open]).toEqual([before + 1, open]);

    await postgres.requireStandby('ANY 1 (second)');
    await write(database);
    expect(await countRows()).toBe(before + 2);
  });

  it('is stored although the server does not wait by default', async () => {
    await test.owner.query(`alter role postgres set synchronous_commit = 'local'`);
    await postgres.freeze();
    const impatient = test.open({ requiresStandby: true, statementTimeoutMs: 60_000 });
    const writing = write(impatient);
    await untilTrue(async () => (await countWaiting()) === 1, { waitingFor: 'the commit that waits' });
    postgres.thaw();
    await writing;
    await test.owner.query('alter role postgres reset synchronous_commit');
  });

  it('is not reported as stored if the list of standbys is emptied while it waits for one', async () => {
    const before = await countRows();
    await postgres.freeze();
    const writing = failureOf(write(database));
    await untilTrue(async () => (await countWaiting()) === 1, { waitingFor: 'the commit that waits' });
    await postgres.requireStandby('');
    const failure = await writing;
    postgres.thaw();
    expect(failure).toMatchObject({
      code: 'overloaded',
      message: 'The write was not confirmed by the standby database. Try again shortly.',
    });
    expect(mayHaveHappened(failure)).toBe(true);
    // PostgreSQL has kept the row, but only on one machine.
    expect(await countRows()).toBe(before + 1);
  });

  it('is not reported as stored if the list is filled again in the meantime', async () => {
    await postgres.freeze();
    const writing = failureOf(write(database));
    await untilTrue(async () => (await countWaiting()) === 1, { waitingFor: 'the commit that waits' });
    await test.owner.query(`alter system set synchronous_standby_names = ''`);
    await test.owner.query('select pg_reload_conf()');
    await untilTrue(async () => (await countWaiting()) === 0, { waitingFor: 'PostgreSQL to give up' });
    await test.owner.query(`alter system set synchronous_standby_names = 'ANY 1 (second)'`);
    await test.owner.query('select pg_reload_conf()');
    expect(await writing).toMatchObject({ code: 'overloaded' });
    postgres.thaw();
  });

  it('is refused at once if a standby is required and gone, and leaves no session that waits', async () => {
    await postgres.stopStandby();
    const before = await countRows();
    expect(await failureOf(write(database))).toMatchObject(refusal);
    expect([await countRows(), await countWaiting()]).toEqual([before, 0]);
    await postgres.startStandby();
    await postgres.requireStandby('ANY 1 (second)');
    await write(database);
    expect(await countRows()).toBe(before + 1);
  });

  it('is refused if two standbys have to confirm and one is attached', async () => {
    await postgres.requireStandby('FIRST 2 (second, third)');
    expect(await failureOf(write(database))).toMatchObject(refusal);
  });

  it('goes by the list alone if the owner may not see who is attached', async () => {
    await test.owner.query('create role plain_owner');
    await test.owner.query('alter function synchronous_standbys() owner to plain_owner');
    await write(database);
    await postgres.requireStandby('');
    expect(await failureOf(write(database))).toMatchObject(refusal);
    await test.owner.query('alter function synchronous_standbys() owner to postgres');
    await test.owner.query('drop role plain_owner');
  });
});

describe('without a standby', () => {
  it('what writes nothing is served, and a failing statement fails as it does otherwise', async () => {
    await postgres.requireStandby('');
    const count = await countRows();
    expect(await database.runForTenant(tenantId, select)).toEqual([{ count }]);
    expect(await database.forSystem((tx) => tx.query(select))).toEqual([{ count }]);
    const wrong = { text: 'select 1 / 0' };
    await expect(database.runForTenant(tenantId, wrong)).rejects.toMatchObject({ sqlState: '22012' });
    await expect(database.forSystem((tx) => tx.query(wrong))).rejects.toMatchObject({ sqlState: '22012' });
    expect(await database.runForTenant(tenantId, select)).toEqual([{ count }]);
  });

  it('a batch is refused once and not tried again in halves', async () => {
    await postgres.requireStandby('');
    let runs = 0;
    const batcher = new TenantBatcher<number, number>({
      name: 'audit',
      itemsMax: 100,
      queueMax: 100,
      meter: database.batches,
      run: async (tenant, items) => {
        runs += 1;
        await database.forTenant(tenant, (tx) => tx.query(insert));
        return items;
      },
    });
    const outcomes = await Promise.all(Array.from({ length: 8 }, (_, item) => failureOf(batcher.add(tenantId, item))));
    expect(outcomes).toEqual(Array.from({ length: 8 }, () => expect.objectContaining(refusal)));
    expect(runs).toBe(1);
  });

  it('a vault that does not require one goes on writing', async () => {
    await postgres.requireStandby('');
    const lenient = test.open();
    const before = await countRows();
    for (const [, write] of ways) await write(lenient);
    expect(await countRows()).toBe(before + ways.length);
  });
});

describe('a vault that requires a standby', () => {
  it('refuses what would leave a record, says so, stays ready, and goes on once there is one again', async () => {
    const vault = await TestVault.start(undefined, { database: test, requiresStandby: true });
    const { keys } = await vault.makeTenant();
    const create = () =>
      vault.request('POST', '/tokens', { key: keys.private, body: { type: 'token', data: 'secret' } });
    const created = await create();
    expect(created.status).toBe(201);
    const { id } = created.body as { id: string };
    const read = () => vault.request('GET', `/tokens/${id}`, { key: keys.private });
    const count = async (table: string) => (await test.owner.query(`select from ${table}`)).rows.length;
    const stored = async () => [await count('tokens'), await count('audit_records')];
    expect((await read()).status).toBe(200);
    const before = await stored();

    await postgres.requireStandby('');
    for (const refused of [await create(), await read()]) {
      expect(refused).toMatchObject({ status: 503, body: { detail: refusal.message } });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(await stored()).toEqual(before);
    expect((await vault.request('GET', '/openapi.json')).status).toBe(200);
    expect((await fetch(`${vault.server.adminUrl}/readyz`)).status).toBe(200);

    // Another process can start in the meantime.
    const database = { ...vault.config.database, requiresStandby: true };
    await (await VaultCore.open({ ...vault.config, database })).close();

    await postgres.requireStandby('ANY 1 (second)');
    expect([(await create()).status, (await read()).status]).toEqual([201, 200]);
    await vault.server.stop();
  });
});

describe('the ground', () => {
  const judge = async (requiresStandby = false) => {
    const reading = await readGround(test.open());
    const found = judgeGround(reading, { requiresStandby, connectionsMax: 8 });
    const verdictOf = (wanted: string) => found.find(({ name }) => name === wanted);
    return { standby: verdictOf('synchronous standby'), lag: verdictOf('replication lag') };
  };

  it('is firm with a standby, and not without', async () => {
    const attached = await judge();
    expect(attached.standby).toMatchObject({ verdict: 'ok', detail: expect.stringContaining('1 attached, 1 must') });
    expect(attached.lag?.verdict).toBe('ok');
    await postgres.requireStandby('FIRST 2 (second, third)');
    expect((await judge()).standby).toMatchObject({
      verdict: 'fail',
      detail: '1 attached, 2 must confirm: writes wait until one is',
    });
    await postgres.requireStandby('');
    expect((await judge()).standby).toMatchObject({ verdict: 'warn' });
    expect((await judge(true)).standby).toMatchObject({ verdict: 'fail', promise: 'the vault accepts writes' });
  });

  it('is told as unknown if the owner may not see it', async () => {
    await test.owner.query('create role plain_owner');
    await test.owner.query('alter function synchronous_standbys() owner to plain_owner');
    expect(await judge()).toMatchObject({
      standby: { verdict: 'unknown', remedy: expect.stringContaining('grant pg_read_all_stats') },
      lag: { verdict: 'unknown' },
    });
    await test.owner.query('alter function synchronous_standbys() owner to postgres');
    await test.owner.query('drop role plain_owner');
  });

  it('shows a standby that falls behind', async () => {
    await postgres.freeze();
    await postgres.requireStandby('');
    await test.owner.query(
      'create table ballast as select repeat(md5(n::text), 60) as text from generate_series(1, 40000) n',
    );
    expect((await judge()).lag).toMatchObject({ verdict: 'warn', detail: expect.stringMatching(/lacks \d+\.\d MiB$/) });
    postgres.thaw();
    await test.owner.query('drop table ballast');
  });
});

/** Returns the error, or undefined if the write was stored. */
function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}
