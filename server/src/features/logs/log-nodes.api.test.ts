import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fillLog, sealAll, sealVault, signerOf } from '../../../test/harness/sealed-log.ts';
import type { TestDatabase } from '../../../test/harness/test-database.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { fillVariedLog, variedValues } from '../../../test/harness/varied-log.ts';
import { isGenuine, parseCheckpointJson } from '../../platform/audit/checkpoint.ts';
import { isProven, parseProofJson } from '../../platform/audit/inclusion-proof.ts';

interface Shown {
  readonly id: string;
  readonly created_at: string;
  readonly entity_id: string;
}
interface Page {
  readonly pagination: { readonly total_items: number; readonly is_exact: boolean; readonly next?: string };
  readonly data: readonly Shown[];
}
interface Value {
  readonly value: string;
  readonly records: number;
}
type Query = Readonly<Record<string, string>>;

let vault: TestVault;
let tenant: TestTenant;
/** What the clock moves on by with each look at it. */
let passingMs = 0;
beforeAll(async () => {
  let now = 0;
  vault = await TestVault.start(undefined, { nodes: 2, clock: () => (now += passingMs) });
});
afterAll(() => vault.stop());
beforeEach(async () => {
  tenant = await vault.makeTenant();
  passingMs = 0;
});

const databases = (): TestDatabase[] => [vault, ...vault.nodes].map(({ database }) => database);
const dayMs = 86_400_000;
/** Without what the requests of this test are recorded as. */
const untilNow = () => ({ end_date: new Date(Date.now() - 10).toISOString() });

async function get<T>(path: string, query: Query, of = tenant): Promise<T> {
  const search = new URLSearchParams(query).toString();
  const { status, body, text } = await vault.request('GET', `${path}?${search}`, { key: of.keys.management });
  expect([status, status === 200 ? '' : text]).toEqual([200, '']);
  return body as T;
}
const idsOf = ({ data }: Page) => data.map(({ id }) => id);

async function askAll(query: Query): Promise<string[]> {
  const ids: string[] = [];
  for (let start: Query = {}; ; ) {
    const page = await get<Page>('/logs', { ...query, ...start });
    ids.push(...idsOf(page));
    if (page.pagination.next === undefined) return ids;
    start = { start: page.pagination.next };
  }
}

/** From the tables of all databases, put in order here. */
async function expected(where: string, values: readonly unknown[] = []): Promise<string[]> {
  const parts = await Promise.all(
    databases().map(({ owner }) =>
      owner.query<{ id: string; at: Date }>(
        `select id, created_at as at from audit_records where tenant_id = $1 and entity_type <> 'log' and ${where}`,
        [tenant.id, ...values],
      ),
    ),
  );
  const rows = parts.flatMap((part) => part.rows);
  expect(parts.filter((part) => part.rows.length > 0).length, where).toBe(3);
  return rows.toSorted((a, b) => b.at.getTime() - a.at.getTime() || (a.id < b.id ? 1 : -1)).map(({ id }) => id);
}

async function insertAt(database: TestDatabase, createdAt: string, count: number): Promise<void> {
  await database.owner.query(
    `insert into audit_records (tenant_id, created_at, entity_type, entity_id, operation, outcome)
      select $1, $2, 'token', 'same', 'read', 'success' from generate_series(1, $3)`,
    [tenant.id, createdAt, count],
  );
}

async function fillAll(count: number, days: number): Promise<void> {
  for (const [index, database] of databases().entries())
    await fillVariedLog(database, { tenantId: tenant.id, count: count + 10 * index, days });
}

describe.each(['nothing counted', 'everything counted', 'one node not counted'])('a log on nodes, %s', (state) => {
  beforeEach(async () => {
    await fillAll(120, 2);
    if (state === 'everything counted') await sealVault(vault);
    else if (state === 'one node not counted')
      for (const database of databases().slice(0, 2)) await sealAll(database, signerOf(vault.server));
  });

  it('is one, by cursor and by page, with its total', async () => {
    const query = untilNow();
    const ids = await expected('created_at < $2', [query.end_date]);
    expect(ids.length).toBeGreaterThanOrEqual(390);
    expect(await askAll({ ...query, size: '97' })).toEqual(ids);
    for (const page of [1, 3, 8, Math.ceil(ids.length / 50)]) {
      const found = await get<Page>('/logs', { ...query, size: '50', page: String(page) });
      expect(idsOf(found)).toEqual(ids.slice((page - 1) * 50, page * 50));
      expect(found.pagination).toMatchObject({ total_items: ids.length, is_exact: true });
      expect(found.pagination.next === undefined).toBe(page * 50 >= ids.length);
    }
    const behind = await get<Page>('/logs', { ...query, size: '50', page: '100' });
    expect(behind).toMatchObject({ data: [], pagination: { total_items: ids.length } });
  });

  const filters = [
    ...Object.entries(variedValues).map(([name, [value]]) => ({ [name]: value })),
    { transform: 'reveal', operation: 'read' },
    { entity_id: 'entity-3', outcome: 'missed' },
    { entity_id: '*', entity_type: 'proxy' },
    { request_id: 'request-5', transform: 'reveal' },
  ] as Query[];
  const toCondition = (query: Query) =>
    Object.keys(query)
      .map((name, index) => `${name}::text = $${index + 3}`)
      .join(' and ');

  it('finds by every filter what all databases hold, and counts it', async () => {
    const { end_date } = untilNow();
    for (const query of filters) {
      const ids = await expected(`created_at < $2 and ${toCondition(query)}`, [end_date, ...Object.values(query)]);
      const name = JSON.stringify(query);
      expect(await askAll({ ...query, end_date, size: '31' }), name).toEqual(ids);
      const second = await get<Page>('/logs', { ...query, end_date, size: '4', page: '2' });
      expect(idsOf(second), name).toEqual(ids.slice(4, 8));
      expect(second.pagination, name).toMatchObject({ total_items: ids.length, is_exact: true });
    }
  });

  it('finds the same when there is no time for more than a step at once', async () => {
    passingMs = 10_000;
    const { end_date } = untilNow();
    for (const query of filters.slice(-4)) {
      const ids = await expected(`created_at < $2 and ${toCondition(query)}`, [end_date, ...Object.values(query)]);
      expect(await askAll({ ...query, end_date, size: '31' }), JSON.stringify(query)).toEqual(ids);
    }
  });
});

describe('a log on nodes', () => {
  it('keeps records of the same millisecond apart, and in one order', async () => {
    const [moment, before] = ['2026-11-10T10:00:00.123Z', '2026-11-10T10:00:00.122Z'];
    for (const [index, database] of databases().entries()) {
      await fillVariedLog(database, { tenantId: tenant.id, count: 3, days: 10 });
      await insertAt(database, moment, 5 + index);
      await insertAt(database, before, 2);
    }
    const ids = await expected(`entity_id = 'same'`);
    expect(new Set(ids).size).toBe(5 + 6 + 7 + 6);
    for (const size of ['1', '4', '7']) {
      expect(await askAll({ entity_id: 'same', size })).toEqual(ids);
      const fits = { entity_type: 'token', start_date: before, end_date: '2026-11-10T10:00:00.124Z' };
      expect(await askAll({ ...fits, size })).toEqual(ids);
    }
  });

  it('is exported whole', async () => {
    await fillAll(600, 1);
    const query = untilNow();
    const ids = await expected('created_at < $2', [query.end_date]);
    const { text } = await vault.request('GET', `/logs/export?${new URLSearchParams(query).toString()}`, {
      key: tenant.keys.management,
    });
    const lines = text.trim().split('\n');
    const records = lines.slice(0, -1).map((line) => (JSON.parse(line) as Shown).id);
    expect(records).toEqual(ids);
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ end: true, records: ids.length });
  });

  it('is that of the own tenant', async () => {
    await fillAll(20, 1);
    const other = await vault.makeTenant();
    const { data } = await get<Page>('/logs', { entity_id: 'entity-3' }, other);
    expect(data).toEqual([]);
  });

  it('is reached by page number up to a limit, since pages are put together here', async () => {
    const [, , node] = databases();
    if (node === undefined) throw new Error('There is no node.');
    await fillLog(node, { tenantId: tenant.id, count: 10_200, perTransaction: 600 });
    expect((await get<Page>('/logs', { size: '100', page: '100' })).data).toHaveLength(100);
    const response = await vault.request('GET', '/logs?size=100&page=101', { key: tenant.keys.management });
    expect(response).toMatchObject({ status: 400, body: { errors: { page: [expect.stringContaining('next')] } } });
  });
});

describe('counts of a log on nodes', () => {
  const range = () => {
    const end = Math.floor(Date.now() / dayMs) * dayMs;
    return { start_date: new Date(end - 5 * dayMs).toISOString(), end_date: new Date(end).toISOString() };
  };

  async function recount(by: string, query: Query): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for (const { owner } of databases()) {
      const { rows } = await owner.query<Value>(
        `select ${by}::text as value, count(*)::float8 as records from audit_records
          where tenant_id = $1 and created_at >= $2 and created_at < $3 and ${by} is not null group by 1`,
        [tenant.id, query['start_date'], query['end_date']],
      );
      for (const { value, records } of rows) counts.set(value, (counts.get(value) ?? 0) + records);
    }
    return counts;
  }
  const toMap = (values: readonly Value[]) => new Map(values.map(({ value, records }) => [value, records]));

  it('add up', async () => {
    await fillAll(1_000, 6);
    await sealVault(vault);
    const query = range();
    const kinds = await recount('entity_type', query);
    const total = [...kinds.values()].reduce((sum, records) => sum + records, 0);
    for (const by of ['entity_type', 'outcome', 'source_address', 'actor_id']) {
      const counts = await get<{ total: number; is_exact: boolean; top: Value[]; buckets: { total: number }[] }>(
        '/logs/counts',
        { ...query, by },
      );
      expect(counts, by).toMatchObject({ total, is_exact: true });
      expect(toMap(counts.top), by).toEqual(await recount(by, query));
      expect(counts.buckets.reduce((sum, bucket) => sum + bucket.total, 0)).toBe(total);
    }
    const { fields } = await get<{ fields: { field: string; values: Value[]; is_complete: boolean }[] }>(
      '/logs/facets',
      query,
    );
    for (const { field, values, is_complete } of fields) {
      expect(toMap(values), field).toEqual(await recount(field, query));
      expect(is_complete).toBe(true);
    }
    const denied = await get<{ total: number; is_exact: boolean }>('/logs/counts', { ...query, outcome: 'denied' });
    expect(denied).toMatchObject({ total: (await recount('outcome', query)).get('denied'), is_exact: true });
  });

  /** On each database its own busy addresses, and on all of them one that is the busiest only in sum. */
  async function insertAddresses({ own, shared }: { own: number; shared: number }): Promise<void> {
    for (const [index, { owner }] of databases().entries())
      await owner.query(
        `insert into audit_records (tenant_id, created_at, entity_type, entity_id, operation, outcome, source_address)
          select $1, now(), 'token', 'x', 'read', 'success', address from (
            select format('%s.%s', $2::int, n) as address from generate_series(1, 220) n, generate_series(1, $3::int)
            union all select 'shared' from generate_series(1, $4::int)) a`,
        [tenant.id, index, own, shared],
      );
    await sealVault(vault);
  }

  it('name a value that is the most frequent only in sum, as far as it can be known', async () => {
    await insertAddresses({ own: 2, shared: 4 });
    const counts = await get<{ top: Value[]; is_exact: boolean }>('/logs/counts', { by: 'source_address' });
    expect(counts.top[0]).toEqual({ value: 'shared', records: 12 });
    expect(counts.top).toHaveLength(20);
    // An address that no database has named may occur twice on each of the three.
    expect(counts.is_exact).toBe(false);
    const { fields } = await get<{ fields: { field: string; values: Value[]; is_complete: boolean }[] }>(
      '/logs/facets',
      {
        limit: '5',
      },
    );
    const addresses = fields.find(({ field }) => field === 'source_address');
    expect(addresses).toMatchObject({ is_complete: false });
    expect(addresses?.values[0]).toEqual({ value: 'shared', records: 12 });
  });

  it('are not exact while a node is not counted', async () => {
    await fillAll(50, 1);
    const counted = databases().slice(0, 2);
    for (const database of counted) await sealAll(database, signerOf(vault.server));
    expect(await get('/logs/counts', {})).toMatchObject({ is_exact: false });
    expect(await get('/logs/facets', {})).toMatchObject({
      fields: expect.not.arrayContaining([{ is_complete: true }]),
    });
    await sealVault(vault);
    expect(await get('/logs/counts', {})).toMatchObject({ is_exact: true });
  });
});

describe('seals and proofs of a log on nodes', () => {
  const prove = ({ id, created_at }: Shown, of = tenant) =>
    vault.request('GET', `/logs/${id}/proof?created_at=${encodeURIComponent(created_at)}`, { key: of.keys.management });

  async function createTokens(count: number): Promise<void> {
    for (let number = 0; number < count; number += 1)
      await vault.request('POST', '/tokens', { key: tenant.keys.private, body: { type: 'token', data: number } });
  }

  it('a record is proven by the tree of the database that holds it', async () => {
    await createTokens(12);
    await sealVault(vault);
    const { publicKey } = signerOf(vault.server);
    const { data } = await get<Page>('/logs', { entity_type: 'token', size: '100' });
    expect(data).toHaveLength(12);
    for (const record of data) {
      const { status, body } = await prove(record);
      const proof = parseProofJson(body);
      expect(status).toBe(200);
      expect(proof?.record.id).toBe(record.id);
      expect(proof !== undefined && isProven(proof, publicKey)).toBe(true);
    }
    const other = await vault.makeTenant();
    const [record = { id: '', created_at: '', entity_id: '' }] = data;
    expect((await prove(record, other)).status).toBe(404);
  });

  it('a record of a node that is not sealed yet is told from one that does not exist', async () => {
    await sealVault(vault);
    await createTokens(1);
    const { data } = await get<Page>('/logs', { entity_type: 'token' });
    const [record = { id: '', created_at: '', entity_id: '' }] = data;
    expect(await prove(record)).toMatchObject({ status: 409, body: { type: '/docs/errors/record-not-sealed' } });
    expect((await prove({ ...record, id: crypto.randomUUID() })).status).toBe(404);
  });

  it('what waits is counted on all of them, and each has a checkpoint', async () => {
    await createTokens(12);
    await sealVault(vault);
    const before = await get<Record<string, unknown>>('/logs/seal', {});
    expect(before).toMatchObject({ waiting: { records: 0, is_exact: true }, worker: { is_running: true } });
    const { publicKey } = signerOf(vault.server);
    const checkpoints = (before['node_checkpoints'] as unknown[]).map(parseCheckpointJson);
    expect(checkpoints.map((one) => one !== undefined && isGenuine(one, publicKey))).toEqual([true, true]);
    expect(checkpoints.reduce((sum, one) => sum + (one?.treeSize ?? 0), 0)).toBe(12);

    await createTokens(5);
    // With the record of having asked before.
    const after = await get<{ waiting: { records: number; oldest_at: string } }>('/logs/seal', {});
    expect(after.waiting).toMatchObject({ records: 6, is_exact: true });
    const [, node] = databases();
    await node?.owner.query(`update audit_sealing set looked_at = now() - interval '31 seconds'`);
    expect(await get('/logs/seal', {})).toMatchObject({ worker: { is_running: false } });
  });

  it('says that a node does not seal for this tenant', async () => {
    await createTokens(6);
    await sealVault(vault);
    const [, node] = databases();
    if (node === undefined) throw new Error('There is no node.');
    await node.owner.query('update audit_checkpoints set signature = set_byte(signature, 5, 0) where tenant_id = $1', [
      tenant.id,
    ]);
    await node.owner.query('update audit_checkpoints set signature = set_byte(signature, 6, 0) where tenant_id = $1', [
      tenant.id,
    ]);
    await createTokens(6);
    await sealVault(vault);
    expect(await get('/logs/seal', {})).toMatchObject({
      stop: { reason: expect.stringContaining('not what was signed') },
    });
  });
});

describe('how far back a log on nodes is kept', () => {
  const keptSince = async () => {
    const { kept_since } = await get<{ kept_since: string }>('/logs/viewers', { token_id: 'x' });
    return kept_since;
  };
  const addMonth = (database: TestDatabase, month: string) =>
    database.owner.query(
      `create table audit_records_${month.slice(0, 7).replace('-', '_')} partition of audit_records
        for values from ('${month} 00:00Z') to (('${month}'::date + interval '1 month') at time zone 'UTC')`,
    );

  it('is the latest of the databases that have dropped something, and not when a node was added', async () => {
    const [home, node] = databases();
    if (home === undefined || node === undefined) throw new Error('There is no node.');
    await addMonth(home, '2026-02-01');
    expect(await keptSince()).toBe('2026-02-01T00:00:00.000Z');

    await addMonth(node, '2026-03-01');
    await addMonth(node, '2026-04-01');
    await insertAt(node, '2026-03-15T00:00Z', 1);
    await sealAll(node, signerOf(vault.server));
    expect(await keptSince()).toBe('2026-02-01T00:00:00.000Z');
    await node.owner.query('drop table audit_records_2026_03');
    expect(await keptSince()).toBe('2026-04-01T00:00:00.000Z');
  });
});
