import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FacetKeeper } from '../../../platform/audit/record/facet-keeper.ts';
import { sealAll, signerOf } from '../../../../test/harness/sealed-log.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { fillVariedLog, variedValues } from '../../../../test/harness/varied-log.ts';

/** The number of random filters for each state of the counters. `npm run test:filters` uses many more. */
const drawn = Number(process.env['LOG_FILTERS'] ?? 4);

let vault: TestVault;
let tenant: TestTenant;
/** The number of milliseconds by which the clock advances each time it is read. */
let passingMs = 0;
beforeAll(async () => {
  let now = 0;
  vault = await TestVault.start(undefined, { clock: () => (now += passingMs) });
});
afterAll(() => vault.stop());
beforeEach(async () => {
  tenant = await vault.makeTenant();
  passingMs = 0;
});

type Filters = Readonly<Record<string, string>>;
interface Page {
  readonly pagination: {
    readonly total_items: number;
    readonly is_exact: boolean;
    readonly next?: string;
    readonly stopped_at?: string;
  };
  readonly data: readonly { readonly id: string }[];
}

const owner = () => vault.database.owner;
const seal = () => sealAll(vault.database, signerOf(vault.server));

async function ask(query: Filters): Promise<Page> {
  const path = `/logs?${new URLSearchParams(query).toString()}`;
  const response = await vault.request('GET', path, { key: tenant.keys.management });
  expect(response.status, response.text).toBe(200);
  return response.body as Page;
}

/** Follows `next` to the end. */
async function askAll(query: Filters): Promise<string[]> {
  const ids: string[] = [];
  for (let start: Filters = {}; ; ) {
    const { data, pagination } = await ask({ ...query, ...start });
    ids.push(...data.map(({ id }) => id));
    if (pagination.next === undefined) return ids;
    start = { start: pagination.next };
  }
}

/** Reads the expected ids from the table, without the records that reading the log adds. */
async function expected(filters: Filters): Promise<string[]> {
  const values: unknown[] = [tenant.id];
  const conditions = Object.entries(filters).map(([name, value]) => {
    if (name === 'exclude') return leftOut(value);
    const parameter = `$${values.push(value)}`;
    if (name === 'start_date') return `created_at >= ${parameter}::timestamptz`;
    return name === 'end_date' ? `created_at < ${parameter}::timestamptz` : `${name}::text = ${parameter}`;
  });
  const { rows } = await owner().query<{ id: string }>(
    `select id from audit_records where ${['tenant_id = $1', `entity_type <> 'log'`, ...conditions].join(' and ')}
      order by created_at desc, id desc`,
    values,
  );
  return rows.map(({ id }) => id);
}

/** Returns the condition for what is not left out. The values are those of `fillVariedLog`. */
function leftOut(list: string): string {
  const conditions = list.split(',').map((item) => {
    if (item === 'member_views')
      return `(actor_type = 'user' and outcome = 'success' and operation in ('read', 'search') and coalesce(transform, '') <> 'reveal')`;
    const at = item.indexOf(':');
    return `coalesce(${item.slice(0, at)}::text, '') = '${item.slice(at + 1).replaceAll("'", "''")}'`;
  });
  return `not (${conditions.join(' or ')})`;
}

const any = (count: number) => Math.floor(Math.random() * count);

/** Returns random filters, and sometimes a time. None of them matches the records that reading the log adds. */
function someFilters(count: number): Filters {
  const names = Object.keys(variedValues).toSorted(() => Math.random() - 0.5);
  const filters = names.slice(0, count).map((name) => {
    const values = variedValues[name as keyof typeof variedValues];
    return [name, values[any(values.length)] ?? ''];
  });
  const since = new Date(Date.now() - 1_000 - any(3 * 86_400_000));
  // A time that has not come yet would include the records of reading.
  const until = new Date(Math.min(since.getTime() + any(2 * 86_400_000), Date.now() - 10));
  const times = { start_date: since.toISOString(), end_date: until.toISOString() };
  // Reading the log adds read records of an application, which these filters would find too.
  const isOfReading = ['actor_type', 'operation', 'outcome', 'entity_id'];
  const needsEnd = filters.every(([name]) => isOfReading.includes(name ?? ''));
  const end = needsEnd ? { end_date: new Date(Date.now() - 10).toISOString() } : {};
  return { ...Object.fromEntries(filters), ...(any(3) === 0 ? times : end) };
}

describe.each(['nothing counted', 'everything counted', 'half of it counted'])('filters with %s', (state) => {
  beforeEach(async () => {
    await fillVariedLog(vault.database, { tenantId: tenant.id, count: 700, days: 2 });
    if (state !== 'nothing counted') await seal();
    // These records are among the newest counted ones. Transactions end in a different order than they begin, though
    // not by days.
    if (state === 'half of it counted')
      await fillVariedLog(vault.database, { tenantId: tenant.id, count: 350, days: 0.5 / 24 });
  });

  it.each([1, 2, 3])('%i at a time find exactly what they fit, page by page, and count it', async (count) => {
    const end = { end_date: new Date(Date.now() - 10).toISOString() };
    const each = Object.entries(variedValues).map(([name, values]) => ({ [name]: values[0], ...end }));
    const asked = count === 1 ? each : Array.from({ length: drawn }, () => someFilters(count));
    for (const filters of asked) {
      const ids = await expected(filters);
      const name = JSON.stringify(filters);
      expect(await askAll({ ...filters, size: '97' }), name).toEqual(ids);
      const second = await ask({ ...filters, size: '10', page: '2' });
      expect(
        second.data.map(({ id }) => id),
        name,
      ).toEqual(ids.slice(10, 20));
      expect(second.pagination, name).toMatchObject({ total_items: ids.length, is_exact: true });
    }
  });

  it('leave out what they exclude', async () => {
    const [actor] = variedValues.actor_id;
    const log = 'entity_type:log';
    const asked: Filters[] = [
      { exclude: `${log},member_views` },
      { exclude: `${log},actor_id:${actor.toUpperCase()},destination:api.example.com` },
      { exclude: `${log},transform:reveal`, operation: 'read' },
      { exclude: `outcome:denied,source_address:2001:db8::1`, entity_id: 'entity-3' },
      { exclude: `${log},operation:create,source_address:x' or true --`, actor_id: actor, outcome: 'success' },
    ];
    for (const filters of asked) {
      const ids = await expected({
        ...filters,
        exclude: (filters['exclude'] ?? '').replace(actor.toUpperCase(), actor),
      });
      expect(ids.length).toBeGreaterThan(0);
      expect(await askAll({ ...filters, size: '97' }), JSON.stringify(filters)).toEqual(ids);
      const { pagination } = await ask({ ...filters, size: '1' });
      expect(pagination, JSON.stringify(filters)).toMatchObject({ total_items: ids.length, is_exact: true });
    }
  });

  it('find the same when there is no time for more than a step at once', async () => {
    passingMs = 10_000;
    const old = { end_date: new Date(Date.now() - 10).toISOString() };
    for (const filters of [
      ...[2, 2, 3, 3].map(someFilters),
      { entity_id: 'entity-3', outcome: 'missed', ...old },
      { entity_id: '*', entity_type: 'proxy', ...old },
      { request_id: 'request-5', transform: 'reveal' },
    ])
      expect(await askAll({ ...filters, size: '97' }), JSON.stringify(filters)).toEqual(await expected(filters));
  });
});

describe('a filter', () => {
  it('shows everything that the record holds', async () => {
    await fillVariedLog(vault.database, { tenantId: tenant.id, count: 30, days: 1 });
    const { data } = await ask({ request_id: 'request-20' });
    const { rows } = await owner().query(
      `select * from audit_records where tenant_id = $1 and request_id = 'request-20'`,
      [tenant.id],
    );
    const [row] = rows as [Record<string, string | null>];
    const columns = [
      'actor_id',
      'actor_type',
      'key_id',
      'request_id',
      'source_address',
      'outcome',
      'transform',
      'destination',
    ];
    for (const column of columns)
      expect((data[0] as unknown as Record<string, unknown>)[column] ?? null).toBe(row[column] ?? null);
    expect(data).toMatchObject([{ containers: ['/a/', '/b/2/'], details: { fields: ['data'], missing: 20 } }]);
  });

  it.each<[string, Filters]>([
    ['an operation that does not exist', { operation: 'unheard-of' }],
    ['an actor that is no id', { actor_id: 'abc' }],
    ['a character that cannot be stored', { destination: 'a\u0000b' }],
  ])('finds nothing by %s', async (_, filters) => {
    expect(await ask(filters)).toMatchObject({ data: [], pagination: { total_items: 0 } });
  });

  it.each(['nothing', 'request_id:x', 'operation', 'operation:', ':read', `${'operation:a,'.repeat(11)}member_views`])(
    'cannot exclude %j',
    async (exclude) => {
      const query = new URLSearchParams({ exclude }).toString();
      const { status, body } = await vault.request('GET', `/logs?${query}`, { key: tenant.keys.management });
      expect(status).toBe(400);
      expect(body).toMatchObject({ errors: { exclude: [expect.any(String)] } });
    },
  );

  it('takes ids in either case', async () => {
    await fillVariedLog(vault.database, { tenantId: tenant.id, count: 30, days: 1 });
    const id = '00000000-0000-4000-8000-00000000000A';
    await owner().query('update audit_records set key_id = $2 where tenant_id = $1', [tenant.id, id]);
    await seal();
    expect((await ask({ key_id: id })).data).toHaveLength(20);
  });

  it('is named in the record that the log was read, its value is not', async () => {
    await ask({ source_address: '203.0.113.77', start_date: '2026-01-01' });
    const records = await vault.auditRecords(tenant.id);
    expect(records.at(-1)).toMatchObject({
      entity_type: 'log',
      operation: 'read',
      details: '{"fields":["start_date","source_address"]}',
    });
    expect(JSON.stringify(records)).not.toContain('203.0.113.77');
  });

  it('finds nothing of another tenant', async () => {
    const other = await vault.makeTenant();
    await fillVariedLog(vault.database, { tenantId: other.id, count: 50, days: 1 });
    await seal();
    for (const filters of [{ destination: 'api.example.com' }, { transform: 'reveal', key_id: variedValues.key_id[0] }])
      expect(await ask(filters)).toMatchObject({ data: [], pagination: { total_items: 0 } });
  });

  it('finds records that the counters are wrong about', async () => {
    await fillVariedLog(vault.database, { tenantId: tenant.id, count: 300, days: 1 });
    await seal();
    await owner().query('update audit_facets set records = records * 1000 where tenant_id = $1', [tenant.id]);
    const filters = { transform: 'reveal' };
    expect(await askAll({ ...filters, size: '20' })).toEqual(await expected(filters));
  });
});

describe('a long log', () => {
  /** Each of two actors does something different in every minute except the oldest, in which they do the same. */
  const [first, second] = variedValues.actor_id;
  let longest: TestTenant;
  beforeAll(async () => {
    longest = await vault.makeTenant();
    await owner().query(
      `insert into audit_records (tenant_id, created_at, entity_type, entity_id, operation, outcome, actor_id, actor_type)
        select $1, date_trunc('minute', now()) + make_interval(mins => 7000 - n), 'token', 'x',
          case when who = 1 and n < 7000 then 'read' else 'delete' end, 'success',
          case who when 1 then $2::uuid else $3::uuid end, 'application'
        from generate_series(1, 7000) n, generate_series(1, 2) who`,
      [longest.id, first, second],
    );
    await seal();
    await owner().query('analyze');
  });
  beforeEach(() => {
    tenant = longest;
  });

  it('is searched for so long at a time, and `next` says where to go on', async () => {
    const filters = { actor_id: first, operation: 'delete' };
    const start = await ask(filters);
    expect(start).toMatchObject({ data: [], pagination: { next: expect.any(String), is_exact: false } });
    expect(await askAll(filters)).toEqual(await expected(filters));
    expect(await expected(filters)).toHaveLength(1);
  });

  it.each<[string, Filters]>([
    ['two filters that never meet', { actor_id: first, operation: 'delete' }],
    ['an entity and a filter', { entity_id: 'x', operation: 'expire' }],
  ])('is searched for two seconds and counted for one: %s', async (_what, filters) => {
    const all = await ask(filters);
    passingMs = 900;
    const { pagination, data } = await ask(filters);
    expect(data).toEqual([]);
    expect(pagination).toMatchObject({ total_items: 0, is_exact: false, next: expect.any(String) });
    const { stopped_at = '' } = pagination;
    // The search made progress and returned its position. The next search starts there and makes progress too.
    expect(new Date(stopped_at).getTime()).toBeLessThan(Date.now() + 7_000 * 60_000);
    const following = await ask({ ...filters, start: pagination.next ?? '' });
    expect(following.pagination.stopped_at?.localeCompare(stopped_at)).toBe(-1);
    // Without a time limit, the search went further.
    expect(all.pagination.stopped_at ?? '').not.toBe(stopped_at);
  });

  it('is reached by page number up to a limit, and by `next` to its end', async () => {
    const filters = { actor_type: 'application', entity_type: 'token' };
    expect((await ask({ ...filters, size: '100', page: '100' })).data).toHaveLength(100);
    const path = `/logs?actor_type=application&entity_type=token&size=100&page=101`;
    const response = await vault.request('GET', path, { key: tenant.keys.management });
    expect(response).toMatchObject({ status: 400, body: { errors: { page: [expect.stringContaining('next')] } } });
    // The error reveals that there are so many records, so it is recorded like any other read of the log.
    expect((await vault.auditRecords(tenant.id)).findLast((one) => one['entity_type'] === 'log')).toMatchObject({
      request_id: response.headers.get('bt-trace-id'),
      details: '{"fields":["entity_type","actor_type"]}',
    });
    expect(await askAll({ ...filters, size: '100' })).toHaveLength(14_000);
  });
});

describe('the counters', () => {
  const sums = async (fields: string) => {
    const { rows } = await owner().query<{ facets: string }>(
      `select coalesce(json_agg(f order by f::text), '[]')::text as facets from (${fields}) f`,
      [tenant.id],
    );
    return rows[0]?.facets;
  };
  const kept = `select field, value, grain, entity_type, bucket, records, minutes from audit_facets where tenant_id = $1`;
  const counted = `select field, value, grain, entity_type, date_trunc(grain, created_at, 'UTC') as bucket, count(*) as records,
    case grain when 'hour' then bit_or(1::bigint << extract(minute from created_at)::int) end as minutes
    from audit_records cross join lateral (values ('actor_id', actor_id::text), ('actor_type', actor_type), ('key_id', key_id::text),
      ('source_address', source_address), ('operation', operation), ('outcome', outcome), ('transform', transform),
      ('destination', destination)) as facet(field, value) cross join unnest(array['day', 'hour']) as grain
    where tenant_id = $1 and value is not null group by 1, 2, 3, 4, 5`;

  it('hold each sealed record once, however many workers there are', async () => {
    await fillVariedLog(vault.database, { tenantId: tenant.id, count: 400, days: 1 });
    await seal();
    await fillVariedLog(vault.database, { tenantId: tenant.id, count: 400, days: 1 });
    await Promise.all(Array.from({ length: 4 }, seal));
    await seal();
    expect(await sums(kept)).toBe(await sums(counted));
  });

  it('come to what was sealed before there were any, in passes', async () => {
    await fillVariedLog(vault.database, { tenantId: tenant.id, count: 400, days: 1 });
    await owner().query(
      `insert into audit_records (tenant_id, entity_type, entity_id, operation, outcome)
        select $1, 'token', 'x', 'read', 'success' from generate_series(1, 12000)`,
      [tenant.id],
    );
    await seal();
    await owner().query('truncate audit_facets');
    await owner().query('update audit_facet_position set kept_to = -9223372036854775808');
    const keeper = new FacetKeeper(vault.database.open());
    const passes = [await keeper.keep()];
    while (passes.at(-1)?.isFull === true) passes.push(await keeper.keep());
    expect(passes.length).toBeGreaterThan(1);
    expect(await sums(kept)).toBe(await sums(counted));
    expect(await keeper.keep()).toEqual({ counted: 0, isFull: false });
  });
});
