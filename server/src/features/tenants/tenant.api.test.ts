import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createApplication,
  fieldsOf,
  recordsOf,
  utcTimestamp,
  uuidV4,
} from '../../../test/harness/test-application.ts';
import { permissionsOf } from '../../core/access/permission.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';

let vault: TestVault;
let tenant: TestTenant;
let managerId: string;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  const own = await vault.request('GET', '/applications/key', { key: tenant.keys.management });
  managerId = (own.body as { id: string }).id;
});
afterAll(() => vault.stop());

const get = (path: string, of = tenant) => vault.request('GET', path, { key: of.keys.management });
const put = (body: unknown, of = tenant) => vault.request('PUT', '/tenants/self', { key: of.keys.management, body });

describe('GET /tenants/self', () => {
  it('200 shows the tenant of the key, and records the reading', async () => {
    const own = await vault.makeTenant('production');
    const answer = await get('/tenants/self', own);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      id: own.id,
      owner_id: expect.stringMatching(uuidV4),
      name: 'Test',
      type: 'production',
      settings: {},
      created_at: expect.stringMatching(utcTimestamp),
    });
    const records = (await recordsOf(vault, own, own.id)).filter(({ operation }) => operation === 'read');
    expect(records).toMatchObject([{ entity_type: 'tenant', outcome: 'success', actor_type: 'application' }]);
  });
});

describe('PUT /tenants/self', () => {
  it('200 renames the tenant, merges settings and records the change', async () => {
    const own = await vault.makeTenant();
    await put({ name: 'First', settings: { deduplicate_tokens: 'true', Keep_Me: 'as it is' } }, own);
    const answer = await put({ name: 'Zweiter 🗝', settings: { deduplicate_tokens: 'false', other: '' } }, own);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      id: own.id,
      owner_id: expect.stringMatching(uuidV4),
      name: 'Zweiter 🗝',
      type: 'test',
      settings: { deduplicate_tokens: 'false', Keep_Me: 'as it is', other: '' },
      created_at: expect.stringMatching(utcTimestamp),
      modified_by: expect.stringMatching(uuidV4),
      modified_at: expect.stringMatching(utcTimestamp),
    });
    expect((await get('/tenants/self', own)).body).toEqual(answer.body);
    const changes = (await recordsOf(vault, own, own.id)).filter(({ operation }) => operation === 'configure');
    expect(changes).toMatchObject([{ entity_type: 'tenant', outcome: 'success' }, { outcome: 'success' }]);
  });

  it('200 leaves settings alone that are not sent, and never changes the type', async () => {
    const own = await vault.makeTenant();
    await put({ name: 'A', settings: { a: '1' } }, own);
    const answer = await put({ name: 'B', type: 'production', id: crypto.randomUUID() }, own);
    expect(answer).toMatchObject({ status: 200, body: { id: own.id, name: 'B', type: 'test', settings: { a: '1' } } });
  });

  it('200 keeps a setting with a name that JavaScript treats specially', async () => {
    const own = await vault.makeTenant();
    const rawBody = '{"name":"A","settings":{"__proto__":"p","constructor":"c"}}';
    await vault.request('PUT', '/tenants/self', { key: own.keys.management, rawBody });
    expect((await get('/tenants/self', own)).text).toContain('"settings":{"__proto__":"p","constructor":"c"}');
  });

  const manySettings = (count: number, prefix: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, 'v']));
  it.each([
    ['name', 'is missing', { settings: {} }],
    ['name', 'is empty', { name: '' }],
    ['name', 'is too long', { name: 'x'.repeat(201) }],
    ['name', 'holds a NUL', { name: '\u0000' }],
    ['settings', 'are no map', { name: 'A', settings: ['a'] }],
    ['settings', 'are too many', { name: 'A', settings: manySettings(51, 's') }],
    ['settings', 'have a name that is too long', { name: 'A', settings: { ['x'.repeat(101)]: 'v' } }],
    ['settings', 'have an empty name', { name: 'A', settings: { '': 'v' } }],
    ['settings', 'have a name with a line end', { name: 'A', settings: { 'a\nb': 7 } }],
    ['settings.fingerprint_tokens', 'is no switch', { name: 'A', settings: { fingerprint_tokens: 'False' } }],
    ['settings.disable_ephemeral_proxy', 'is no switch', { name: 'A', settings: { disable_ephemeral_proxy: 'TRUE' } }],
    ['settings.fingerprint_visibility', 'is misspelled', { name: 'A', settings: { fingerprint_visibilty: 'reveal' } }],
    ['settings.a', 'is no text', { name: 'A', settings: { a: 1 } }],
    ['settings.a', 'is null', { name: 'A', settings: { a: null } }],
    ['settings.a', 'is too long', { name: 'A', settings: { a: 'x'.repeat(501) } }],
    ['settings.a', 'holds half a surrogate pair', { name: 'A', settings: { a: '\ud800' } }],
  ])('400 when %s %s, and nothing changes', async (field, _why, body) => {
    const own = await vault.makeTenant();
    const answer = await put(body, own);
    expect(answer).toMatchObject({ status: 400, body: { type: '/docs/errors/validation-failed' } });
    expect(fieldsOf(answer)).toContain(field);
    expect((await get('/tenants/self', own)).body).toMatchObject({ name: 'Test', settings: {} });
    const changes = (await recordsOf(vault, own, own.id)).filter(
      ({ operation }) => operation !== 'create' && operation !== 'read',
    );
    expect(changes).toHaveLength(0);
  });

  it('400 when merging would keep more settings than a tenant has', async () => {
    const own = await vault.makeTenant();
    expect((await put({ name: 'A', settings: manySettings(50, 'a') }, own)).status).toBe(200);
    const answer = await put({ name: 'B', settings: { one_more: 'v' } }, own);
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer)).toEqual(['settings']);
    expect((await get('/tenants/self', own)).body).toMatchObject({ name: 'A', settings: manySettings(50, 'a') });
    expect((await put({ name: 'C', settings: { a0: 'changed' } }, own)).status).toBe(200);
  });
});

describe('GET /tenants/self/owner', () => {
  it('200 shows the owner, and records the reading of the member', async () => {
    const answer = await get('/tenants/self/owner');
    const tenantView = (await get('/tenants/self')).body as { owner_id: string };
    expect(answer.status).toBe(200);
    const { created_at } = answer.body as { created_at: string };
    expect(answer.body).toEqual({
      id: expect.stringMatching(uuidV4),
      tenant_id: tenant.id,
      role: 'OWNER',
      user: { id: tenantView.owner_id },
      sign_in_ways: [],
      created_at: expect.stringMatching(utcTimestamp),
      created_date: created_at,
    });
    expect(await recordsOf(vault, tenant, (answer.body as { id: string }).id)).toMatchObject([
      { entity_type: 'member', operation: 'read', outcome: 'success', actor_id: managerId },
    ]);
  });

  it('200 shows the address of an owner who has one', async () => {
    const made = await vault.server.core.tenantMaker.make({
      name: 'With owner',
      type: 'test',
      ownerEmail: 'Owner@Example.com',
      applications: [{ name: 'M', type: 'management', permissions: ['tenant:member:read'], rules: [] }],
    });
    const answer = await vault.request('GET', '/tenants/self/owner', { key: made.keys[0] ?? '' });
    expect(answer).toMatchObject({ status: 200, body: { user: { email: 'Owner@Example.com' } } });
  });
});

describe('GET /tenants/self/reports/usage', () => {
  it('200 counts tokens by type, and records the reading', async () => {
    const own = await vault.makeTenant();
    expect((await get('/tenants/self/reports/usage', own)).body).toEqual({
      total_tokens: 0,
      token_report: { total_tokens: 0, metrics_by_type: {} },
    });
    for (const data of [1, 2]) {
      await vault.request('POST', '/tokens', { key: own.keys.private, body: { type: 'token', data } });
    }
    // Each of two servers counts in its own slot, and the last bank token has been deleted.
    await vault.database.owner.query(
      `insert into token_counts (tenant_id, type, containers, slot, tokens, last_created_at) values
        ($1, 'card', '{/pci/high/}', 1, 3, '2026-01-01Z'), ($1, 'card', '{/pci/low/}', 2, -1, '2026-01-02Z'),
        ($1, 'bank', '{/bank/high/}', 1, 1, '2026-01-01Z'), ($1, 'bank', '{/bank/high/}', 2, -1, null)`,
      [own.id],
    );
    const answer = await get('/tenants/self/reports/usage', own);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      total_tokens: 4,
      token_report: {
        total_tokens: 4,
        metrics_by_type: {
          card: { count: 2, last_created_at: '2026-01-02T00:00:00.000Z' },
          token: { count: 2, last_created_at: expect.stringMatching(utcTimestamp) },
        },
      },
    });
    const reads = (await recordsOf(vault, own, own.id)).filter(({ operation }) => operation === 'read');
    expect(reads).toMatchObject([{ entity_type: 'tenant' }, { entity_type: 'tenant' }]);
  });
});

describe('who may do it', () => {
  const endpoints = [
    ['GET', '/tenants/self', 'tenant:read'],
    ['PUT', '/tenants/self', 'tenant:update'],
    ['DELETE', '/tenants/self', 'tenant:delete'],
    ['GET', '/tenants/self/owner', 'tenant:member:read'],
    ['GET', '/tenants/self/reports/usage', 'report:read'],
  ] as const;
  const call = (method: string, path: string, key?: string) =>
    vault.request(method, path, {
      ...(key === undefined ? {} : { key }),
      ...(method === 'PUT' ? { body: { name: 'A' } } : {}),
    });

  it.each(endpoints)('401 for %s %s without a key', async (method, path) => {
    expect(await call(method, path)).toMatchObject({ status: 401, body: { type: '/docs/errors/unauthenticated' } });
  });

  it.each(endpoints)('403 for %s %s without %s, and nothing happens', async (method, path, permission) => {
    const permissions = permissionsOf('management').filter((one) => one !== permission);
    const { key } = await createApplication(vault, tenant, { type: 'management', permissions });
    const before = await recordsOf(vault, tenant, tenant.id);
    const answer = await call(method, path, key);
    expect(answer).toMatchObject({ status: 403, body: { detail: `Missing permission: ${permission}` } });
    const after = await recordsOf(vault, tenant, tenant.id);
    expect(after.filter(({ outcome }) => outcome === 'success')).toHaveLength(before.length);
    expect((await get('/tenants/self')).status).toBe(200);
  });

  it.each(endpoints)('%s %s is allowed by %s alone', async (method, path, permission) => {
    const own = await vault.makeTenant();
    const { key } = await createApplication(vault, own, { type: 'management', permissions: [permission] });
    expect([200, 204]).toContain((await call(method, path, key)).status);
  });

  it.each(['private', 'reveal', 'public'] as const)('403 for everything with a %s key', async (name) => {
    for (const [method, path] of endpoints) expect((await call(method, path, tenant.keys[name])).status).toBe(403);
  });
});
