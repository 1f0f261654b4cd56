import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseTenantId } from '../../src/core/identity/ids.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { mayHaveHappened } from '../../src/platform/database/database-error.ts';
import { migrate } from '../../src/platform/database/migrations/migrator.ts';
import { LocalPostgres } from '../../src/platform/local-postgres/local-postgres.ts';
import { untilTrue } from '../harness/deadline.ts';
import { openTestDatabase, type TestDatabase } from '../harness/test-database.ts';

// If a synchronous standby is unavailable, PostgreSQL waits for it after the commit. The vault must not report the
// write as stored.

const tenantId = parseTenantId(crypto.randomUUID());
const statement = { text: 'insert into probe values (1)' };
const ways: [string, (database: Database) => Promise<unknown>][] = [
  ['one statement', (database) => database.runForTenant(tenantId, statement)],
  ['a transaction', (database) => database.forTenant(tenantId, (tx) => tx.query(statement))],
];

let postgres: LocalPostgres;
let test: TestDatabase;
beforeAll(async () => {
  postgres = await LocalPostgres.start({ password: randomBytes(16).toString('hex'), settings: { fsync: 'off' } });
  await migrate(postgres.url);
  test = openTestDatabase(postgres.url);
  await test.owner.query('create table probe (number integer)');
  await test.owner.query('grant insert on probe to strongroom_app');
});
afterEach(() => requireStandby(''));
afterAll(async () => {
  await test.drop();
  await postgres.stop();
});

async function requireStandby(name: string): Promise<void> {
  await test.owner.query(`alter system set synchronous_standby_names = '${name}'`);
  await test.owner.query('select pg_reload_conf()');
}

const countRows = async () => (await test.owner.query('select from probe')).rows.length;
const waiting = `from pg_stat_activity where wait_event = 'SyncRep'`;
const countWaiting = async () => (await test.owner.query(`select ${waiting}`)).rows.length;

/** Returns the error, or undefined if the write was stored. */
function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/**
 * Writes until a commit waits for the standby. PostgreSQL's processes do not all load the new setting at the same time.
 */
async function untilRefused(write: () => Promise<unknown>): Promise<{ failure: unknown; before: number }> {
  let failure: unknown;
  let before = 0;
  const isRefused = async () => {
    before = await countRows();
    failure = await failureOf(write());
    return failure !== undefined;
  };
  await untilTrue(isRefused, { waitingFor: 'a commit that waits for the standby' });
  return { failure, before };
}

describe.each(ways)('a write by %s that the synchronous standby does not confirm', (_name, write) => {
  it('is not reported as stored when PostgreSQL is told to wait no longer, although it is', async () => {
    const database = test.open();
    await requireStandby('nobody');
    const cancelling = setInterval(() => void test.owner.query(`select pg_cancel_backend(pid) ${waiting}`), 50);
    const { failure, before } = await untilRefused(() => write(database)).finally(() => clearInterval(cancelling));
    const message = 'The write was not confirmed by the standby database. Try again shortly.';
    expect(failure).toMatchObject({ code: 'overloaded', message });
    expect(mayHaveHappened(failure)).toBe(true);
    expect(await countRows()).toBe(before + 1);
  });

  it('is not reported as stored when it takes too long, and is there once a standby is no longer required', async () => {
    const database = test.open({ statementTimeoutMs: 500 });
    await requireStandby('nobody');
    const { failure, before } = await untilRefused(() => write(database));
    expect(failure).toMatchObject({ code: 'overloaded', message: expect.stringContaining('did not respond in time') });
    expect(mayHaveHappened(failure)).toBe(true);
    // PostgreSQL continues to wait, in a session that is no longer used.
    expect([await countWaiting(), await countRows()]).toEqual([1, before]);
    await requireStandby('');
    await untilTrue(async () => (await countRows()) === before + 1, { waitingFor: 'the row' });
    expect(await failureOf(write(database))).toBeUndefined();
  });
});
