import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilPasses } from '../../../../test/harness/deadline.ts';
import { QueryPlan } from '../../../../test/harness/query-plan.ts';
import { sealAll, signerOf } from '../../../../test/harness/sealed-log.ts';
import { StatementTap } from '../../../../test/harness/statement-tap.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { fillVariedLog, variedValues } from '../../../../test/harness/varied-log.ts';

interface Value {
  readonly value: string;
  readonly records: number;
}
interface Counts {
  readonly interval: 'hour' | 'day';
  readonly from: string;
  readonly to: string;
  readonly by: string;
  readonly is_exact: boolean;
  readonly total: number;
  readonly buckets: readonly { start: string; total: number; counts: readonly Value[]; other: number }[];
  readonly top: readonly Value[];
  readonly other: number;
}
interface Facets {
  readonly is_exact: boolean;
  readonly from: string;
  readonly to: string;
  readonly fields: readonly { field: string; values: readonly Value[]; is_complete: boolean }[];
}
type Query = Readonly<Record<string, string>>;

const days = 10;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
let vault: TestVault;
let tenant: TestTenant;
let tap: StatementTap;
let until: string;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  await fillVariedLog(vault.database, { tenantId: tenant.id, count: 20_000, days });
  // The records that these requests create must not be counted.
  until = new Date(Math.floor(Date.now() / dayMs) * dayMs).toISOString();
  await sealAll(vault.database, signerOf(vault.server));
  await vault.database.owner.query('analyze');
  tap = new StatementTap();
}, 180_000);
afterAll(async () => {
  tap.close();
  await vault.stop();
});

const before = (milliseconds: number) => new Date(Date.parse(until) - milliseconds).toISOString();
const ask = (path: string, query: Query, of = tenant) =>
  vault.request('GET', `${path}?${new URLSearchParams(query).toString()}`, { key: of.keys.management });

async function count(query: Query, of = tenant): Promise<Counts> {
  const { status, body, text } = await ask(
    '/logs/counts',
    { end_date: until, start_date: before(5 * dayMs), ...query },
    of,
  );
  expect([status, status === 200 ? '' : text]).toEqual([200, '']);
  return body as Counts;
}

async function listFacets(query: Query, of = tenant): Promise<Facets> {
  const { status, body } = await ask('/logs/facets', { end_date: until, start_date: before(5 * dayMs), ...query }, of);
  expect(status).toBe(200);
  return body as Facets;
}

/** Computes the same counts from the records themselves. */
async function recount(
  { from, to, interval }: Pick<Counts, 'from' | 'to'> & { interval?: string },
  by: string,
  where = 'true',
): Promise<ReadonlyMap<string, number>> {
  const start = interval === undefined ? "'all'" : `date_trunc('${interval}', created_at, 'UTC')`;
  const { rows } = await vault.database.owner.query<{ key: string; records: number }>(
    `select ${interval === undefined ? start : `to_char(${start} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.000"Z"')`}
        || ' ' || ${by}::text as key, count(*)::float8 as records
      from audit_records where tenant_id = $1 and created_at >= $2 and created_at < $3 and ${where} and ${by} is not null
      group by 1`,
    [tenant.id, from, to],
  );
  return new Map(rows.map(({ key, records }) => [key, records]));
}

const countsIn = ({ buckets }: Counts) =>
  new Map(buckets.flatMap(({ start, counts }) => counts.map(({ value, records }) => [`${start} ${value}`, records])));
const totalsIn = ({ buckets }: Counts): ReadonlyMap<string, number> =>
  new Map(buckets.flatMap(({ start, total }) => (total === 0 ? [] : [[`${start} 1`, total] as const])));
const valuesIn = (values: readonly Value[]) => new Map(values.map(({ value, records }) => [`all ${value}`, records]));
const { entity_id: _entities, request_id: _requests, ...counted } = variedValues;

describe('counts of the log', () => {
  it.each(Object.keys(counted))('by %s are those of the records, by hour and by day', async (by) => {
    for (const interval of ['hour', 'day'] as const) {
      for (const kind of [{}, { entity_type: 'card' }]) {
        const found = await count({ by, interval, ...kind });
        const where = 'entity_type' in kind ? "entity_type = 'card'" : 'true';
        expect(found).toMatchObject({ interval, by, is_exact: true });
        expect(countsIn(found)).toEqual(await recount(found, by, where));
        expect(totalsIn(found)).toEqual(await recount(found, '1', where));
        expect(valuesIn(found.top)).toEqual(await recount({ from: found.from, to: found.to }, by, where));
        const named = found.top.reduce((sum, { records }) => sum + records, 0);
        expect(found.other).toBe(found.total - named);
        expect(found.buckets).toHaveLength(interval === 'day' ? 5 : 120);
      }
    }
  });

  it.each(Object.entries(counted).filter(([field]) => field !== 'entity_type'))(
    'of one %s are exact, and by kind too',
    async (field, [value]) => {
      const where = `${field} = '${value.replaceAll("'", "''")}'`;
      const found = await count({ [field]: value, by: 'outcome' });
      expect(found).toMatchObject({ by: field, is_exact: true, other: 0 });
      expect(countsIn(found)).toEqual(await recount(found, field, where));
      const byKind = await count({ [field]: value, by: 'entity_type' });
      expect(byKind).toMatchObject({ by: 'entity_type', is_exact: true });
      expect(countsIn(byKind)).toEqual(await recount(byKind, 'entity_type', where));
    },
  );

  it('of several filters are a bound that is never too low', async () => {
    const found = await count({ actor_id: counted.actor_id[0], outcome: 'denied', interval: 'hour' });
    expect(found).toMatchObject({ is_exact: false, top: [] });
    const exact = await recount(found, '1', `actor_id = '${counted.actor_id[0]}' and outcome = 'denied'`);
    const single = totalsIn(await count({ outcome: 'denied', interval: 'hour' }));
    const bounds = totalsIn(found);
    for (const [key, records] of exact) expect(bounds.get(key)).toBeGreaterThanOrEqual(records);
    for (const [key, records] of bounds) expect(records).toBeLessThanOrEqual(single.get(key) ?? 0);
  });

  it('cover whole intervals, of the last seven days by default', async () => {
    const { body } = await ask('/logs/counts', {});
    const found = body as Counts;
    expect(found).toMatchObject({ interval: 'hour', by: 'outcome' });
    expect(found.buckets).toHaveLength(169);
    expect(found.buckets[0]?.start).toBe(found.from);
    expect(Date.parse(found.to)).toBeGreaterThanOrEqual(Date.now() - 60_000);
    const wide = await count({ start_date: before(dayMs * 8.5), end_date: before(dayMs * 0.5) });
    expect([wide.interval, wide.from, wide.to]).toEqual(['day', before(dayMs * 9), before(0)]);
  });

  it('are zero for what cannot be', async () => {
    for (const query of [{ entity_type: 'nothing' }, { actor_id: 'nobody' }, { operation: '\u0000' }])
      expect(await count(query)).toMatchObject({ total: 0, is_exact: true, top: [], other: 0 });
  });

  it.each<readonly [Query, string]>([
    [{ start_date: 'yesterday' }, 'start_date'],
    [{ end_date: 'now' }, 'end_date'],
    [{ start_date: '2026-01-02', end_date: '2026-01-02' }, 'start_date'],
    [{ start_date: '2020-01-01' }, 'start_date'],
    [{ interval: 'minute' }, 'interval'],
    [{ by: 'entity_id' }, 'by'],
    [{ entity_id: 'x' }, 'querystring'],
    [{ request_id: 'x' }, 'querystring'],
  ])('refuse %j', async (query, field) => {
    const { status, body } = await ask('/logs/counts', query);
    expect(status).toBe(400);
    expect(Object.keys((body as { errors: object }).errors).join()).toContain(field);
  });

  it('are of one tenant, and a read of the log', async () => {
    const other = await vault.makeTenant();
    await sealAll(vault.database, signerOf(vault.server));
    expect(await count({}, other)).toMatchObject({ total: 0, is_exact: true });
    const { fields } = await listFacets({}, other);
    expect(fields.flatMap(({ values }) => values)).toEqual([]);
    const reads = (await vault.auditRecords(other.id)).filter(({ entity_type }) => entity_type === 'log');
    expect(reads).toHaveLength(2);
    expect(reads[0]).toMatchObject({ operation: 'read', outcome: 'success' });
  });

  it('say so while the worker is well behind', async () => {
    const other = await vault.makeTenant();
    await fillVariedLog(vault.database, { tenantId: other.id, count: 700, days: 3 });
    const now = new Date().toISOString();
    expect(await count({ end_date: now }, other)).toMatchObject({ is_exact: false, total: 0 });
    const { fields } = await listFacets({ end_date: now }, other);
    expect(fields.every(({ is_complete }) => !is_complete)).toBe(true);
    await sealAll(vault.database, signerOf(vault.server));
    expect(await count({ end_date: now }, other)).toMatchObject({ is_exact: true });
  });
});

describe('values of the log', () => {
  it('are those of the records, with whole days and with hours at the ends', async () => {
    for (const query of [
      {},
      { entity_type: 'token' },
      { start_date: before(dayMs * 3.3), end_date: before(dayMs * 0.4) },
    ]) {
      const { from, to, fields } = await listFacets(query);
      expect(fields.map(({ field }) => field).toSorted()).toEqual(Object.keys(counted).toSorted());
      for (const { field, values, is_complete } of fields) {
        expect(is_complete).toBe(true);
        const where = 'entity_type' in query ? "entity_type = 'token'" : 'true';
        expect(valuesIn(values)).toEqual(await recount({ from, to }, field, where));
        expect(values.map(({ records }) => records)).toEqual(
          values.map(({ records }) => records).toSorted((a, b) => b - a),
        );
      }
    }
  });

  it('are those that the other filters leave', async () => {
    const conditions: Readonly<Record<string, string>> = {
      outcome: `outcome = 'denied'`,
      entity_type: `entity_type = 'card'`,
      transform: `transform = 'mask'`,
      exclude: `operation is distinct from 'delete'`,
    };
    const query = {
      outcome: 'denied',
      entity_type: 'card',
      transform: 'mask',
      exclude: 'operation:delete',
      limit: '50',
    };
    // Reading records has a time limit, which a busy machine may reach.
    const { from, to, fields } = await untilPasses(async () => {
      const listed = await listFacets(query);
      expect(listed.is_exact).toBe(true);
      return listed;
    });
    for (const { field, values } of fields) {
      const others = Object.entries(conditions).flatMap(([name, condition]) => (name === field ? [] : [condition]));
      expect([field, valuesIn(values)]).toEqual([field, await recount({ from, to }, field, others.join(' and '))]);
    }
  });

  it('say so if there are more records than they were counted from', async () => {
    const { is_exact, fields } = await listFacets({ exclude: 'operation:delete' });
    expect(is_exact).toBe(false);
    const outcomes = fields.find(({ field }) => field === 'outcome');
    expect(outcomes?.values.reduce((sum, { records }) => sum + records, 0)).toBe(2_000);
    expect(outcomes?.is_complete).toBe(false);
  });

  it('are as many as asked for, and say whether there are more', async () => {
    const { fields } = await listFacets({ limit: '2' });
    const [operations, keys] = ['operation', 'key_id'].map((name) => fields.find(({ field }) => field === name));
    expect([operations?.values.length, operations?.is_complete]).toEqual([2, false]);
    expect([keys?.values.length, keys?.is_complete]).toEqual([2, true]);
    for (const limit of ['0', '51', '-1', '1.5', 'x', ''])
      expect((await ask('/logs/facets', { limit })).status).toBe(400);
  });
});

describe('a tenant with very many addresses', () => {
  let crowded: TestTenant;
  let end: string;
  beforeAll(async () => {
    crowded = await vault.makeTenant();
    end = new Date((Math.floor(Date.now() / hourMs) + 2) * hourMs).toISOString();
    // These are the counters that the worker would have written for 60,000 addresses in an hour. One of them is
    // frequent, and another one was frequent long ago. They are in the coming hour, because otherwise the worker would
    // appear to be behind on the tenant's uncounted records.
    await vault.database.owner.query(
      `insert into audit_facets (tenant_id, field, value, grain, entity_type, bucket, records, minutes)
        select $1, facet.field, facet.value, grain, 'token', date_trunc(grain, $2::timestamptz - facet.age, 'UTC'), facet.records,
          case grain when 'hour' then 1 end
        from (select 'source_address' as field, 'address-' || n as value, interval '1 hour' as age, 1 as records
            from generate_series(1, 60000) n
          union all values ('source_address', 'often', interval '1 hour', 500), ('source_address', 'once', interval '4 days', 900),
            ('outcome', 'success', interval '1 hour', 60500), ('outcome', 'success', interval '4 days', 900)) facet
        cross join unnest(array['hour', 'day']) grain`,
      [crowded.id, end],
    );
    await vault.database.owner.query('analyze audit_facets');
  });

  it('gets exact totals, a short list, and is told that it may not be the right one', async () => {
    const found = await count(
      { by: 'source_address', start_date: before(4 * dayMs), end_date: end, interval: 'hour' },
      crowded,
    );
    expect(found).toMatchObject({ is_exact: false, total: 61_400 });
    expect(found.top).toHaveLength(20);
    expect(found.top.every(({ records }) => [1, 500, 900].includes(records))).toBe(true);
    expect(found.other).toBe(61_400 - found.top.reduce((sum, { records }) => sum + records, 0));
    const { fields } = await listFacets({ start_date: before(4 * dayMs), end_date: end }, crowded);
    const addresses = fields.find(({ field }) => field === 'source_address');
    expect(addresses?.is_complete).toBe(false);
    expect(addresses?.values).toHaveLength(10);
    expect(fields.find(({ field }) => field === 'outcome')).toMatchObject({
      values: [{ value: 'success', records: 61_400 }],
      is_complete: true,
    });
  });
});

describe('with 20,000 records and 60,000 counters of another tenant', () => {
  it.each<readonly [string, Query]>([
    ['/logs/counts', {}],
    ['/logs/counts', { by: 'source_address' }],
    ['/logs/counts', { by: 'entity_type', interval: 'day' }],
    ['/logs/counts', { by: 'operation', entity_type: 'card' }],
    ['/logs/counts', { key_id: counted.key_id[0] }],
    ['/logs/counts', { key_id: counted.key_id[0], outcome: 'denied' }],
    ['/logs/facets', {}],
    ['/logs/facets', { entity_type: 'card' }],
  ])('%s %j reads no table from end to end, and no records', async (path, query) => {
    const sent = await tap.during(async () => {
      expect((await ask(path, { ...query, start_date: before(3.5 * dayMs), end_date: until })).status).toBe(200);
    }, 'audit_facets');
    const reads = sent.filter(({ text }) => !/insert|audit_facet_position|audit_records/.test(text));
    expect(reads.length).toBeGreaterThan(0);
    for (const statement of reads) {
      const plan = await QueryPlan.explain(vault.database, tenant.id, statement);
      expect(plan.scannedTables).toEqual([]);
      expect(plan.indexes.filter((index) => !/^audit_facets_(pkey|of_time)$/.test(index))).toEqual([]);
      expect(plan.indexes.length).toBeGreaterThan(0);
      expect(plan.indexConditions.join(' ')).toContain('bucket');
    }
  });
});
