import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/harness/test-database.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { Database } from './database.ts';
import { TenantBatcher, type TenantBatcherOptions } from './tenant-batcher.ts';

/** The tests run a batcher on a real table with a constraint, so that a "bad row" is one that PostgreSQL rejects. */
let test: TestDatabase;
let database: Database;
const tenant = crypto.randomUUID() as TenantId;
const other = crypto.randomUUID() as TenantId;
let batchSizes: number[] = [];
/** The slots of batches in flight, and the maximum number of concurrent batches. */
const underway = new Set<string>();
let underwayMax = 0;

beforeAll(async () => {
  test = await createTestDatabase();
  database = test.open();
  await test.owner.query(`create table numbers (tenant_id uuid not null, value integer not null check (value >= 0),
    primary key (tenant_id, value)); grant select, insert on numbers to strongroom_app`);
});
afterAll(() => test.drop());
beforeEach(async () => {
  batchSizes = [];
  underway.clear();
  underwayMax = 0;
  await test.owner.query('truncate numbers');
});

function makeBatcher(limits: Partial<Omit<TenantBatcherOptions<number, number>, 'run'>> = {}) {
  return new TenantBatcher<number, number>({
    name: 'audit',
    meter: database.batches,
    itemsMax: 100,
    queueMax: 10_000,
    ...limits,
    run: async (tenantId, values, place) => {
      batchSizes.push(values.length);
      const name = `${tenantId} ${place}`;
      if (underway.has(name)) throw new DomainError('overloaded', 'Two batches have one place.');
      underway.add(name);
      underwayMax = Math.max(underwayMax, underway.size);
      const rows = await database
        .runForTenant<{ value: number }>(tenantId, {
          text: 'insert into numbers select $1, unnest($2::integer[]) returning value',
          values: [tenantId, [...values]],
        })
        .finally(() => underway.delete(name));
      const written = new Set(rows.map(({ value }) => value));
      return values.map((value) => (written.has(value) ? value : -1));
    },
  });
}

const storedCount = async () => Number((await test.owner.query('select count(*) from numbers')).rows[0].count);

describe('TenantBatcher', () => {
  it('carries concurrent items of a tenant in few batches and answers each caller with its own result', async () => {
    const batcher = makeBatcher();
    const values = Array.from({ length: 500 }, (_, index) => index);
    expect(await Promise.all(values.map((value) => batcher.add(tenant, value)))).toEqual(values);
    expect(await storedCount()).toBe(500);
    expect(batchSizes).toEqual([100, 100, 100, 100, 100]);
  });

  it('fills batches by what items count for, and sends one that counts for more than a batch alone', async () => {
    const batcher = makeBatcher({ itemsMax: 10, queueMax: 100, sizeOf: (value) => value });
    const values = [4, 5, 6, 30, 1, 2, 3];
    expect(await Promise.all(values.map((value) => batcher.add(tenant, value)))).toEqual(values);
    expect(batchSizes).toEqual([2, 1, 1, 3]);
    const waiting = [50, 51].map((value) => batcher.add(tenant, value));
    await expect(batcher.add(tenant, 7)).rejects.toMatchObject({ code: 'overloaded' });
    await Promise.all(waiting);
  });

  it('lets as many batches of a tenant be on their way as it may, each in a place of its own', async () => {
    const values = Array.from({ length: 60 }, (_, index) => index);
    const batcher = makeBatcher({ itemsMax: 5, batchesMax: 2 });
    expect(await Promise.all(values.map((value) => batcher.add(tenant, value)))).toEqual(values);
    expect(underwayMax).toBe(2);
    expect(await batcher.add(tenant, 60)).toBe(60);
  });

  it('fails one bad row alone', async () => {
    const batcher = makeBatcher();
    const outcomes = await Promise.allSettled([1, 2, -3, 4, 5].map((value) => batcher.add(tenant, value)));
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(await storedCount()).toBe(4);
  });

  it('fails one bad item alone when its transaction was rolled back for another reason than SQL', async () => {
    const batcher = new TenantBatcher<number, number>({
      name: 'audit',
      meter: database.batches,
      itemsMax: 100,
      queueMax: 100,
      run: (tenantId, values) =>
        database.forTenant(tenantId, async (tx) => {
          await tx.query({
            text: 'insert into numbers select $1, unnest($2::integer[])',
            values: [tenantId, [...values]],
          });
          if (values.includes(3)) throw new Error('three is taken');
          return values;
        }),
    });
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map((value) => batcher.add(tenant, value)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(await storedCount()).toBe(3);
  });

  it('does not run a batch again whose failure came after the commit', async () => {
    let runs = 0;
    const batcher = new TenantBatcher<number, number>({
      name: 'audit',
      meter: database.batches,
      itemsMax: 100,
      queueMax: 100,
      run: async (tenantId, values) => {
        runs += 1;
        await database.runForTenant(tenantId, {
          text: 'insert into numbers select $1, unnest($2::integer[])',
          values: [tenantId, [...values]],
        });
        throw new Error('the result cannot be read');
      },
    });
    const outcomes = await Promise.allSettled([1, 2, 3].map((value) => batcher.add(tenant, value)));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(runs).toBe(1);
    expect(await storedCount()).toBe(3);
  });

  it('keeps tenants in batches of their own', async () => {
    const batcher = makeBatcher();
    await Promise.all([batcher.add(tenant, 1), batcher.add(other, 1), batcher.add(tenant, 2)]);
    expect(batchSizes.sort((a, b) => a - b)).toEqual([1, 2]);
  });

  it('turns items away when too many wait, and takes them again afterwards', async () => {
    const batcher = makeBatcher({ queueMax: 2 });
    const accepted = [batcher.add(tenant, 1), batcher.add(tenant, 2)];
    await expect(batcher.add(tenant, 3)).rejects.toMatchObject({ code: 'overloaded' });
    await Promise.all(accepted);
    await expect(batcher.add(tenant, 3)).resolves.toBe(3);
  });

  it('answers no caller whose batch was cut off, keeps what was answered, and works on after the cut', async () => {
    const batcher = makeBatcher({ itemsMax: 10 });
    const acknowledged: number[] = [];
    const rounds = Array.from({ length: 20 }, (_, round) => round);
    for (const round of rounds) {
      const attempts = Array.from({ length: 50 }, (_, index) =>
        batcher.add(tenant, round * 50 + index).then((value) => acknowledged.push(value)),
      );
      const cut = test.owner.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'strongroom test' and datname = current_database()`,
      );
      await Promise.allSettled([...attempts, cut]);
    }
    const { rows } = await test.owner.query('select value from numbers');
    const stored = new Set(rows.map((row: { value: number }) => row.value));
    expect(acknowledged.filter((value) => !stored.has(value))).toEqual([]);
    expect(acknowledged.length).toBeLessThan(1_000);
    await expect(batcher.add(tenant, 5_000)).resolves.toBe(5_000);
  });
});
