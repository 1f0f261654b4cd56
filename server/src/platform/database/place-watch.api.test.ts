import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/harness/test-database.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { nextMoment, OutdatedRoute, withRoute } from '../waiting/route.ts';
import type { Database } from './database.ts';

const tenantId = crypto.randomUUID() as TenantId;
const one = { text: 'select 1 as one' };
const nameOf = ({ url }: TestDatabase) => new URL(url).pathname.slice(1);

let admin: TestDatabase;
let served: TestDatabase;
let database: Database;
/** Of a process that knows nodes, and the name of an older copy of its database. */
let older: string;
let knownSince: number;
beforeAll(async () => {
  admin = await createTestDatabase();
});
afterAll(() => admin.drop());
beforeEach(async () => {
  served = await createTestDatabase();
  older = `${nameOf(served)}_older`;
  await admin.owner.query(`create database ${older} template ${nameOf(served)}`);
  database = served.open({ knownNodes: ['east'], connectionsMax: 1 });
  await database.runForTenant(tenantId, one);
  knownSince = nextMoment();
  return async () => {
    await served.drop();
    await admin.owner.query(`drop database if exists ${older} with (force)`);
  };
});

const runByOldKnowledge = () => withRoute(knownSince, () => database.runForTenant(tenantId, one));
const endSessions = (name: string) =>
  admin.owner.query('select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1', [name]);
/** As a standby does that has not got the newest commits, or a restore. */
async function putOlderInPlace(): Promise<void> {
  const name = nameOf(served);
  await admin.owner.query(`alter database ${name} with allow_connections false`);
  await endSessions(name);
  await admin.owner.query(`alter database ${name} rename to ${name}_newer`);
  await admin.owner.query(`alter database ${older} rename to ${name}`);
  older = `${name}_newer`;
}
/** Past the error of a connection that is found broken. */
async function settle<T>(work: () => Promise<T>): Promise<unknown> {
  let outcome: unknown;
  const isOver = async () => {
    outcome = await work().catch((error: unknown) => error);
    return !(outcome instanceof Error) || outcome instanceof OutdatedRoute;
  };
  await untilTrue(isOver, { waitingFor: 'a new connection' });
  return outcome;
}

describe('what was sent to a database by what was known', () => {
  it('is done over a new connection to the same one', async () => {
    await endSessions(nameOf(served));
    expect(await settle(runByOldKnowledge)).toEqual([{ one: 1 }]);
  });

  it('is refused where an older copy has taken its place, also when others have noticed before', async () => {
    await putOlderInPlace();
    expect(await settle(runByOldKnowledge)).toBeInstanceOf(OutdatedRoute);
    expect(await settle(() => database.runForTenant(tenantId, one))).toEqual([{ one: 1 }]);
    await expect(runByOldKnowledge()).rejects.toThrow(OutdatedRoute);
    const inTransaction = withRoute(knownSince, () => database.forTenant(tenantId, (tx) => tx.query(one)));
    await expect(inTransaction).rejects.toThrow(OutdatedRoute);
  });

  it('is done again by what is known since', async () => {
    await putOlderInPlace();
    expect(await settle(runByOldKnowledge)).toBeInstanceOf(OutdatedRoute);
    // Whoever finds out what is known does not go by it.
    expect(await withRoute(knownSince, () => database.forSystem((tx) => tx.query(one)))).toEqual([{ one: 1 }]);
    expect(await withRoute(nextMoment(), () => database.runForTenant(tenantId, one))).toEqual([{ one: 1 }]);
  });

  it('is refused where the database says that it holds something else', async () => {
    await served.owner.query('update held_drawers set held = held');
    await endSessions(nameOf(served));
    expect(await settle(runByOldKnowledge)).toBeInstanceOf(OutdatedRoute);
  });
});
