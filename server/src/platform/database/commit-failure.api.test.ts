import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureOf } from '../../../test/harness/failure.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/harness/test-database.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { Database } from './database.ts';
import { mayHaveHappened, wasRolledBack } from './database-error.ts';
import { TenantBatcher } from './tenant-batcher.ts';

// These tests make commits fail. A deferred trigger raises the errors of a full or broken disk, a crash or a
// constraint.

let test: TestDatabase;
let database: Database;
const tenant = crypto.randomUUID() as TenantId;
const write = (code: string) => ({ text: 'insert into failing (code) values ($1)', values: [code] });
const ways: [string, (code: string) => Promise<unknown>][] = [
  ['runForTenant', (code) => database.runForTenant(tenant, write(code))],
  ['forTenant', (code) => database.forTenant(tenant, (tx) => tx.query(write(code)))],
];

beforeAll(async () => {
  test = await createTestDatabase();
  database = test.open();
  await test.owner.query(`create table failing (code text); grant insert on failing to strongroom_app;
    create function fail() returns trigger language plpgsql as $$
      begin raise exception 'failed' using errcode = new.code; end $$;
    create constraint trigger fail after insert on failing deferrable initially deferred for each row execute function fail()`);
});
afterAll(() => test.drop());

describe.each(ways)('a commit by %s', (_name, run) => {
  it.each(['53100', '58030', '57P01', 'XX000'])('may have happened if it fails with %s', async (code) => {
    const failure = await failureOf(run(code));
    expect([mayHaveHappened(failure), wasRolledBack(failure)]).toEqual([true, false]);
  });

  it.each(['23505', '55P03', '57014'])('did not happen if it fails with %s', async (code) => {
    expect(mayHaveHappened(await failureOf(run(code)))).toBe(false);
  });

  it('is refused as "not now" if the disk is full or broken', async () => {
    for (const code of ['53100', '58030']) expect(await failureOf(run(code))).toMatchObject({ code: 'overloaded' });
  });
});

it.each([
  { code: '58030', runs: 1 },
  { code: '23505', runs: 3 },
])('a batch of two whose commit fails with $code is sent $runs times', async ({ code, runs }) => {
  let sent = 0;
  const batcher = new TenantBatcher<string, true>({
    name: 'audit',
    meter: database.batches,
    itemsMax: 10,
    queueMax: 10,
    run: async (tenantId, codes) => {
      sent += 1;
      await database.runForTenant(tenantId, write(codes[0] ?? ''));
      return codes.map(() => true as const);
    },
  });
  await Promise.all([code, code].map((each) => failureOf(batcher.add(tenant, each))));
  expect(sent).toBe(runs);
});
