import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTenantId } from '../../src/core/identity/ids.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { mayHaveHappened } from '../../src/platform/database/database-error.ts';
import { migrate } from '../../src/platform/database/migrator.ts';
import { LocalPostgres } from '../../src/platform/local-postgres/local-postgres.ts';
import { untilTrue } from '../harness/deadline.ts';
import { openTestDatabase, type TestDatabase } from '../harness/test-database.ts';

// A synchronous standby that does not answer: PostgreSQL keeps the commit and only warns. The vault must not say that it is stored.

const tenantId = parseTenantId(crypto.randomUUID());
const statement = { text: 'insert into probe values (1)' };
const ways: [string, (database: Database) => Promise<unknown>][] = [
  ['one statement', (database) => database.runForTenant(tenantId, statement)],
  ['a transaction', (database) => database.forTenant(tenantId, (tx) => tx.query(statement))],
];

let postgres: LocalPostgres;
let test: TestDatabase;
let database: Database;
beforeAll(async () => {
  postgres = await LocalPostgres.start({ password: randomBytes(16).toString('hex'), settings: { fsync: 'off' } });
  await migrate(postgres.url);
  test = openTestDatabase(postgres.url);
  await test.owner.query('create table probe (number integer)');
  await test.owner.query('grant insert on probe to strongroom_app');
  database = test.open({ statementTimeoutMs: 500 });
});
afterAll(async () => {
  await test.drop();
  await postgres.stop();
});

const countRows = async () => (await test.owner.query('select from probe')).rows.length;

async function require(standby: string): Promise<void> {
  await test.owner.query(`alter system set synchronous_standby_names = '${standby}'`);
  await test.owner.query('select pg_reload_conf()');
}

/** Undefined once it is stored. */
async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('a write that the synchronous standby did not confirm', () => {
  it.each(ways)('by %s is not reported as stored, although it may have been', async (_name, write) => {
    await require('nobody');
    let failure: unknown;
    let before = 0;
    const isRefused = async () => {
      before = await countRows();
      failure = await failureOf(write(database));
      return failure !== undefined;
    };
    // The processes of PostgreSQL read the setting one after the other.
    await untilTrue(isRefused, { waitingFor: 'a commit that waits for the standby' });
    expect(failure).toMatchObject({
      code: 'overloaded',
      message: expect.stringContaining('not confirmed by the standby'),
    });
    expect(mayHaveHappened(failure)).toBe(true);
    expect(await countRows()).toBe(before + 1);

    await require('');
    await untilTrue(async () => (await failureOf(write(database))) === undefined, {
      waitingFor: 'a commit that is stored',
    });
  });
});
