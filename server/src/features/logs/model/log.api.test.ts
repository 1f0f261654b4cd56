import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fillLog, sealAll, signerOf } from '../../../../test/harness/sealed-log.ts';
import { createApplication } from '../../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
});
afterAll(() => vault.stop());
beforeEach(async () => {
  tenant = await vault.makeTenant();
});

interface LogJson {
  readonly id: string;
  readonly entity_type: string;
  readonly entity_id: string;
  readonly operation: string;
  readonly message: string;
  readonly created_at: string;
}
interface PageJson {
  readonly pagination: {
    readonly total_items: number;
    readonly page_number: number;
    readonly page_size: number;
    readonly total_pages: number;
    readonly next?: string;
  };
  readonly data: readonly LogJson[];
}

const ask = (query = '') => vault.request('GET', `/logs${query}`, { key: tenant.keys.management });
async function page(query = ''): Promise<PageJson> {
  const answer = await ask(query);
  expect(answer.status).toBe(200);
  return answer.body as PageJson;
}
async function createToken(body: object = { type: 'token', data: 'x' }, key = tenant.keys.private): Promise<string> {
  const answer = await vault.request('POST', '/tokens', { key, body });
  expect(answer.status).toBe(201);
  return (answer.body as { id: string }).id;
}

describe('GET /logs', () => {
  it('tells who did what to what, newest first', async () => {
    const id = await createToken();
    await vault.request('GET', `/tokens/${id}`, { key: tenant.keys.private });
    await vault.request('PATCH', `/tokens/${id}`, {
      key: tenant.keys.private,
      body: { data: 'y' },
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    await vault.request('DELETE', `/tokens/${id}`, {
      key: tenant.keys.private,
      headers: { 'bt-trace-id': 'delete-1' },
    });
    const { data, pagination } = await page(`?entity_id=${id}`);
    expect(data.map(({ message, operation }) => [message, operation])).toEqual([
      ['Token deleted', 'delete'],
      ['Token updated', 'update'],
      ['Token retrieved', 'read'],
      ['Token created', 'create'],
    ]);
    expect(pagination).toEqual({ total_items: 4, page_number: 1, page_size: 20, total_pages: 1, is_exact: true });
    const own = await vault.request('GET', '/applications/key', { key: tenant.keys.private });
    expect(data[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      tenant_id: tenant.id,
      actor_id: (own.body as { id: string }).id,
      actor_type: 'application',
      entity_type: 'token',
      entity_id: id,
      operation: 'delete',
      outcome: 'success',
      message: 'Token deleted',
      key_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      request_id: 'delete-1',
      source_address: '127.0.0.1',
      containers: ['/general/high/'],
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  it('leaves out the actor of what the vault did by itself', async () => {
    const { data } = await page('?entity_type=tenant');
    expect(data.at(-1)).toMatchObject({ message: 'Tenant created', actor_type: 'system' });
    expect(data.at(-1)).not.toHaveProperty('actor_id');
  });

  it('names cards and bank accounts as what they are', async () => {
    await createToken({ type: 'card', data: { number: '4242424242424242' } });
    await createToken({ type: 'bank', data: { routing_number: '021000021', account_number: '1' } });
    expect((await page('?entity_type=card')).data).toMatchObject([{ entity_type: 'card', message: 'Token created' }]);
    expect((await page('?entity_type=bank')).data).toMatchObject([{ entity_type: 'bank', message: 'Token created' }]);
  });

  it('records that the log was read, also with filters that nothing fits', async () => {
    await page();
    await page('?entity_type=unheard-of');
    await page('?entity_id=%00');
    expect((await page('?entity_type=log')).data).toMatchObject([
      { entity_id: '*', operation: 'read', message: 'Log retrieved' },
      { operation: 'read' },
      { operation: 'read' },
    ]);
  });

  it('shows nothing of another tenant', async () => {
    const other = await vault.makeTenant();
    const id = await createToken(undefined, other.keys.private);
    expect(await page(`?entity_id=${id}`)).toMatchObject({ data: [], pagination: { total_items: 0 } });
    const mine = await page('?size=100');
    expect(mine.data.every((log) => (log as { tenant_id?: string }).tenant_id === tenant.id)).toBe(true);
  });

  it.each([
    ['?start_date=yesterday', 'start_date'],
    ['?end_date=2026-13-01', 'end_date'],
    ['?size=101', 'size'],
    ['?size=0', 'size'],
    ['?page=0', 'page'],
    ['?page=x', 'page'],
    ['?start=abc', 'start'],
    [`?source_address=${'x'.repeat(301)}`, 'source_address'],
    ['?start=1.00000000-0000-0000-0000-00000000000g', 'start'],
  ])('400 for %s', async (query, field) => {
    expect(await ask(query)).toMatchObject({ status: 400, body: { errors: { [field]: expect.any(Array) } } });
  });

  it('400 for a filter that does not exist', async () => {
    expect(await ask('?actor=me')).toMatchObject({ status: 400, body: { detail: expect.any(String) } });
  });

  it('takes times at the very ends of the calendar', async () => {
    expect((await page('?end_date=9999-12-31T23:59:59-14:00')).data.length).toBeGreaterThan(0);
    expect((await page('?start_date=0001-01-01T00:00:00%2B14:00')).data.length).toBeGreaterThan(0);
    expect((await page('?start_date=9999-12-31T23:59:59-14:00')).data).toEqual([]);
  });

  it('403 without the permission', async () => {
    const answer = await vault.request('GET', '/logs', { key: tenant.keys.private });
    expect(answer).toMatchObject({ status: 403, body: { detail: 'Missing permission: log:read' } });
  });
});

/** The same requests run before anything is sealed, after everything is sealed, and with a mixture. */
describe.each(['nothing sealed', 'everything sealed', 'half of it sealed'])('paging and counting with %s', (state) => {
  beforeEach(async () => {
    tenant = await vault.makeTenant();
    await fillLog(vault.database, { tenantId: tenant.id, count: 400, days: 3, perTransaction: 7 });
    if (state !== 'nothing sealed') await sealAll(vault.database, signerOf(vault.server));
    if (state === 'half of it sealed') {
      await fillLog(vault.database, { tenantId: tenant.id, count: 300, days: 2, perTransaction: 9 });
    }
  });

  /** Reads the expected ids from the table, without the records that reading the log adds. */
  async function expected(condition = 'true', values: unknown[] = []): Promise<string[]> {
    const { rows } = await vault.database.owner.query<{ id: string }>(
      `select id from audit_records where tenant_id = $1 and entity_type <> 'log' and ${condition}
        order by created_at desc, id desc`,
      [tenant.id, ...values],
    );
    return rows.map(({ id }) => id);
  }

  it('pages by number to the end, and past it there is nothing', async () => {
    const ids = await expected(`entity_type = 'card'`);
    const seen: string[] = [];
    for (let number = 1; ; number += 1) {
      const { data, pagination } = await page(`?entity_type=card&size=30&page=${number}`);
      expect(pagination).toMatchObject({
        total_items: ids.length,
        page_number: number,
        total_pages: Math.ceil(ids.length / 30),
      });
      if (data.length === 0) break;
      seen.push(...data.map(({ id }) => id));
    }
    expect(seen).toEqual(ids);
    expect((await page('?entity_type=card&size=100&page=999999999')).data).toEqual([]);
  });

  it('pages by cursor to the end', async () => {
    const end = new Date().toISOString();
    const ids = await expected('created_at < $2', [end]);
    const seen: string[] = [];
    for (let start: string | undefined = ''; start !== undefined; ) {
      const { data, pagination }: PageJson = await page(
        `?size=100&end_date=${end}${start === '' ? '' : `&start=${start}`}`,
      );
      seen.push(...data.map(({ id }) => id));
      start = pagination.next;
    }
    expect(seen).toEqual(ids);
  });

  it('counts half-open times to the millisecond', async () => {
    const { rows } = await vault.database.owner.query<{ at: Date }>(
      `select created_at as at from audit_records where tenant_id = $1 order by random() limit 24`,
      [tenant.id],
    );
    for (let n = 0; n + 1 < rows.length; n += 2) {
      const [a, b] = [rows[n]?.at.getTime() ?? 0, rows[n + 1]?.at.getTime() ?? 0];
      const [from, to] = [new Date(Math.min(a, b)).toISOString(), new Date(Math.max(a, b)).toISOString()];
      const inside = await expected(`created_at >= $2 and created_at < $3`, [from, to]);
      const all = await page(`?start_date=${from}&end_date=${to}&size=100`);
      expect(all.pagination.total_items).toBe(inside.length);
      expect(all.data.map(({ id }) => id)).toEqual(inside.slice(0, 100));
      const cards = await expected(`created_at >= $2 and created_at < $3 and entity_type = 'card'`, [from, to]);
      expect((await page(`?start_date=${from}&end_date=${to}&entity_type=card`)).pagination.total_items).toBe(
        cards.length,
      );
    }
  });

  it('finds the records of one entity', async () => {
    const ids = await expected(`entity_id = 'entity-7'`);
    expect(ids.length).toBeGreaterThan(0);
    const { data, pagination } = await page('?entity_id=entity-7');
    expect(data.map(({ id }) => id)).toEqual(ids);
    expect(pagination.total_items).toBe(ids.length);
    expect((await page('?entity_id=entity-7&entity_type=member')).data).toEqual([]);
  });
});

describe('GET /logs/entity-types', () => {
  it('lists what a record can be about', async () => {
    const answer = await vault.request('GET', '/logs/entity-types', { key: tenant.keys.management });
    expect(answer.status).toBe(200);
    const types = answer.body as { display_name: string; value: string }[];
    expect(types.map(({ value }) => value)).toEqual([
      'application',
      'bank',
      'card',
      'client_key',
      'erasure',
      'export',
      'import',
      'invitation',
      'key',
      'legal_hold',
      'log',
      'member',
      'proxy',
      'retention_rule',
      'session',
      'tenant',
      'token',
      'token_intent',
      'webhook',
    ]);
    expect(types[0]).toEqual({ display_name: 'Application', value: 'application' });
  });
});

describe('a denied attempt with a valid key', () => {
  const denials = async () => (await vault.auditRecords(tenant.id)).filter(({ outcome }) => outcome === 'denied');

  it.each([
    ['GET', '/logs', 'private', { entity_type: 'log', operation: 'read', entity_id: '*' }],
    ['GET', '/tenants/self', 'private', { entity_type: 'tenant', operation: 'read' }],
    ['DELETE', '/tenants/self', 'private', { entity_type: 'tenant', operation: 'delete' }],
    ['GET', '/tokens', 'management', { entity_type: 'token', operation: 'read' }],
    ['POST', '/tokens', 'management', { entity_type: 'token', operation: 'create' }],
    ['POST', '/applications', 'private', { entity_type: 'application', operation: 'create' }],
    ['GET', '/tokens/4242424242424242', 'public', { entity_type: 'token', operation: 'read', entity_id: '*' }],
    ['POST', '/sessions', 'private', { entity_type: 'session', operation: 'create' }],
  ] as const)('%s %s is recorded once, without what the caller wrote', async (method, path, key, record) => {
    const body = method === 'POST' && path !== '/sessions' ? { body: {} } : {};
    const answer = await vault.request(method, path, {
      key: tenant.keys[key],
      headers: { 'bt-trace-id': 'denied-1' },
      ...body,
    });
    expect(answer.status).toBe(403);
    expect(await denials()).toMatchObject([{ ...record, request_id: 'denied-1', actor_type: 'application' }]);
    expect(JSON.stringify(await denials())).not.toContain('4242424242424242');
  });

  it('names the token that the rules keep away', async () => {
    const id = await createToken(
      { type: 'token', data: 'x', id: 'chosen-by-the-caller', containers: ['/locked/'] },
      tenant.keys.reveal,
    );
    const { key } = await createApplication(vault, tenant, {
      permissions: [],
      rules: [{ description: '', priority: 1, container: '/open/', transform: 'reveal', permissions: ['token:read'] }],
    });
    expect((await vault.request('GET', `/tokens/${id}`, { key })).status).toBe(403);
    expect(await denials()).toMatchObject([
      { entity_type: 'token', entity_id: id, operation: 'read', containers: ['/locked/'] },
    ]);
    expect((await page('?entity_type=token')).data[0]).toMatchObject({
      message: 'Token retrieval denied',
      entity_id: id,
    });
  });

  it('names the id of the path where it is a UUID', async () => {
    const id = randomUUID();
    expect((await vault.request('GET', `/applications/${id}`, { key: tenant.keys.private })).status).toBe(403);
    expect(await denials()).toMatchObject([{ entity_type: 'application', entity_id: id }]);
  });

  it('is answered with 503 where it cannot be recorded', async () => {
    await vault.database.owner.query(
      'alter table audit_records add constraint no_denials check (outcome <> $$denied$$) not valid',
    );
    try {
      const answer = await vault.request('GET', '/logs', { key: tenant.keys.private });
      expect(answer.status).toBeGreaterThanOrEqual(500);
    } finally {
      await vault.database.owner.query('alter table audit_records drop constraint no_denials');
    }
  });

  it('leaves no record without a valid key', async () => {
    const before = (await vault.auditRecords(tenant.id)).length;
    expect((await vault.request('GET', '/logs', { key: 'key_test_us_pvt_nonsense' })).status).toBe(401);
    expect(await vault.auditRecords(tenant.id)).toHaveLength(before);
  });
});
