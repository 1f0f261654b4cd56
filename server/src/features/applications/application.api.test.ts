import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createApplication,
  fieldsOf,
  recordsOf,
  utcTimestamp,
  uuidV4,
} from '../../../test/harness/test-application.ts';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';

let vault: TestVault;
let tenant: TestTenant;
/** The id of the application with the management key, which creates and changes everything in these tests. */
let managerId: string;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  managerId = idOf(await vault.request('GET', '/applications/key', { key: tenant.keys.management }));
});
afterAll(() => vault.stop());

const idOf = (answer: { body: unknown }) => (answer.body as { id: string }).id;
const secretOf = (answer: { body: unknown }) => (answer.body as { key: string }).key;
const manage = (method: string, path: string, body?: unknown) =>
  vault.request(method, path, { key: tenant.keys.management, ...(body === undefined ? {} : { body }) });
const create = (body: unknown) => manage('POST', '/applications', body);

const rule = { description: 'Cards', priority: 1, container: '/pci/', transform: 'mask', permissions: ['token:read'] };
const plain = { name: 'Shop', type: 'private', permissions: ['token:create', 'token:read'] };

describe('POST /applications', () => {
  it('201 answers with the application and its secret, and records the creation', async () => {
    const answer = await create({ ...plain, rules: [rule], expires_at: '2030-08-26T19:23:57-07:00' });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.stringMatching(uuidV4),
      tenant_id: tenant.id,
      name: 'Shop',
      type: 'private',
      key: expect.stringMatching(/^key_test_pvt_[1-9A-HJ-NP-Za-km-z]{66}_[1-9A-HJ-NP-Za-km-z]{6}$/),
      keys: [
        {
          id: expect.stringMatching(uuidV4),
          key: secretOf(answer),
          version: '1',
          created_by: managerId,
          created_at: expect.stringMatching(utcTimestamp),
          last_used_at: null,
        },
      ],
      permissions: ['token:create', 'token:read'],
      rules: [rule],
      expires_at: '2030-08-27T02:23:57.000Z',
      created_by: managerId,
      created_at: expect.stringMatching(utcTimestamp),
    });
    expect(await recordsOf(vault, tenant, idOf(answer))).toMatchObject([
      { entity_type: 'application', operation: 'create', outcome: 'success', actor_id: managerId },
    ]);
  });

  it.each([
    ['private', 'pvt', ['token:use']],
    ['public', 'pub', ['token:create']],
    ['management', 'mgt', ['log:read']],
  ])('201 names the type %s in the key, which works at once', async (type, kind, permissions) => {
    const answer = await create({ name: 'Any', type, permissions });
    expect(secretOf(answer)).toMatch(new RegExp(`^key_test_${kind}_`));
    expect(secretOf(answer).length).toBeLessThanOrEqual(100);
    const own = await vault.request('GET', '/applications/key', { key: secretOf(answer) });
    expect(own).toMatchObject({ status: 200, body: { id: idOf(answer), type } });
  });

  it('201 names the environment of a production tenant in the key', async () => {
    const production = await vault.makeTenant('production');
    const answer = await vault.request('POST', '/applications', { key: production.keys.management, body: plain });
    expect(secretOf(answer)).toMatch(/^key_prod_pvt_/);
  });

  it('201 shows the secret once and stores nothing that contains it', async () => {
    const answer = await create(plain);
    const secret = secretOf(answer).split('_')[3] ?? '';
    const later = await Promise.all([
      manage('GET', `/applications/${idOf(answer)}`),
      manage('PUT', `/applications/${idOf(answer)}`, plain),
      manage('GET', `/applications/${idOf(answer)}/keys`),
      manage('GET', '/applications?size=100'),
      vault.request('GET', '/applications/key', { key: secretOf(answer) }),
    ]);
    for (const { status, text } of later) {
      expect(status).toBe(200);
      expect(text).not.toContain(secret);
      expect(text).not.toMatch(/"key":/);
    }
    const { rows } = await vault.database.owner.query<{ row: string }>(
      `select row_to_json(k)::text as row from application_keys k where application_id = $1`,
      [idOf(answer)],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toContain(secret);
  });

  it('201 makes no key where none is wanted', async () => {
    const answer = await create({ ...plain, create_key: false });
    expect(answer.body).toMatchObject({ keys: [] });
    expect(answer.body).not.toHaveProperty('key');
  });

  it('201 takes rules without permissions, lower-cases containers and ignores unknown properties', async () => {
    const { description: _, ...silent } = rule;
    const answer = await create({ name: 'R', type: 'private', rules: [{ ...silent, container: '/PCI/High/' }], x: 1 });
    expect(answer.body).toMatchObject({ permissions: [], rules: [{ ...silent, container: '/pci/high/' }] });
    expect((answer.body as { rules: object[] }).rules[0]).not.toHaveProperty('description');
    expect(answer.body).not.toHaveProperty('x');
  });

  it('201 keeps each permission once', async () => {
    const answer = await create({ ...plain, permissions: ['token:read', 'token:read'] });
    expect(answer.body).toMatchObject({ permissions: ['token:read'] });
  });

  const rules = (...changes: object[]) => ({ ...plain, rules: changes.map((change) => ({ ...rule, ...change })) });
  it.each([
    ['name', 'is missing', { type: 'private', permissions: ['token:read'] }],
    ['name', 'is empty', { ...plain, name: '' }],
    ['name', 'has 201 characters', { ...plain, name: 'x'.repeat(201) }],
    ['name', 'holds a NUL', { ...plain, name: 'a\u0000b' }],
    ['name', 'holds half a surrogate pair', { ...plain, name: 'a\ud800b' }],
    ['name', 'is no text', { ...plain, name: 7 }],
    ['type', 'is missing', { name: 'A', permissions: ['token:read'] }],
    ['type', 'is unknown', { ...plain, type: 'admin' }],
    ['permissions', 'and rules are missing', { name: 'A', type: 'private' }],
    ['permissions', 'and rules are empty', { ...plain, permissions: [], rules: [] }],
    ['permissions.0', 'is unknown', { ...plain, permissions: ['token:everything'] }],
    ['permissions', 'do not fit a public application', { ...plain, type: 'public', permissions: ['token:read'] }],
    ['permissions', 'do not fit a private application', { ...plain, permissions: ['tenant:read'] }],
    ['permissions', 'do not fit a management application', { ...plain, type: 'management' }],
    ['permissions', 'are too many', { ...plain, permissions: Array(51).fill('token:read') }],
    ['rules.0.permissions', 'do not fit the type', rules({ permissions: ['log:read'] })],
    ['rules.0.permissions', 'are empty', rules({ permissions: [] })],
    ['rules.0.permissions.0', 'is unknown', rules({ permissions: ['card:read'] })],
    ['rules.1.priority', 'is taken', rules({}, { container: '/bank/' })],
    ['rules.0.priority', 'is negative', rules({ priority: -1 })],
    ['rules.0.priority', 'is no whole number', rules({ priority: 1.5 })],
    ['rules.0.container', 'has no leading slash', rules({ container: 'pci/' })],
    ['rules.0.container', 'has no trailing slash', rules({ container: '/pci' })],
    ['rules.0.container', 'has an empty segment', rules({ container: '/pci//high/' })],
    ['rules.0.container', 'holds other characters', rules({ container: '/pc%69/' })],
    ['rules.0.container', 'is missing', rules({ container: undefined })],
    ['rules.0.container', 'is longer than 400', rules({ container: `/${'x'.repeat(399)}/` })],
    [
      'rules.0.conditions',
      'would be ignored',
      rules({ conditions: [{ attribute: 'id', operator: 'equals', value: 'x' }] }),
    ],
    ['rules.0.transform', 'is unknown', rules({ transform: 'show' })],
    ['rules.0.description', 'is too long', rules({ description: 'x'.repeat(501) })],
    ['rules.0.description', 'holds a NUL', rules({ description: '\u0000' })],
    ['rules.0.description', 'holds half a surrogate pair', rules({ description: '\udc00' })],
    ['rules', 'are too many', rules(...Array.from({ length: 101 }, (_, priority) => ({ priority })))],
    ['expires_at', 'is no time', { ...plain, expires_at: 'tomorrow' }],
    ['create_key', 'is no boolean', { ...plain, create_key: 'false' }],
    ['body', 'is no object', ['private']],
    ['body', 'is missing', undefined],
  ])('400 when %s %s', async (field, _why, body) => {
    const before = (await vault.auditRecords(tenant.id)).length;
    const answer = await create(body);
    expect(answer).toMatchObject({ status: 400, body: { type: '/docs/errors/validation-failed' } });
    expect(fieldsOf(answer)).toContain(field);
    expect(await vault.auditRecords(tenant.id)).toHaveLength(before);
  });
});

describe('GET /applications', () => {
  it('200 lists newest first, in pages, without secrets, and records the reading', async () => {
    const own = await vault.makeTenant();
    for (let count = 0; count < 3; count += 1) await createApplication(vault, own, { name: `Number ${count}` });
    const list = (query: string) => vault.request('GET', `/applications${query}`, { key: own.keys.management });
    const all = await list('');
    const { data, pagination } = all.body as { data: { id: string; created_at: string }[]; pagination: object };
    expect(pagination).toEqual({ total_items: 7, page_number: 1, page_size: 20, total_pages: 1 });
    const place = ({ created_at, id }: { created_at: string; id: string }) => `${created_at} ${id}`;
    expect(data.map(place)).toEqual(data.map(place).toSorted().toReversed());
    expect(data).toHaveLength(7);
    expect(data[0]).toMatchObject({ name: expect.stringMatching(/^Number/), keys: [{ version: '1' }] });

    const pages = await Promise.all(['1', '2', '3'].map((page) => list(`?size=3&page=${page}`)));
    const ids = pages.flatMap(({ body }) => (body as { data: { id: string }[] }).data.map(({ id }) => id));
    expect(ids).toEqual(data.map(({ id }) => id));
    expect(pages[2]?.body).toMatchObject({
      pagination: { total_items: 7, page_number: 3, page_size: 3, total_pages: 3 },
    });
    const reads = await recordsOf(vault, own, '*');
    expect(reads).toHaveLength(4);
    expect(reads[0]).toMatchObject({ entity_type: 'application', operation: 'read', outcome: 'success' });
  });

  it('200 filters by id and by type', async () => {
    const own = await vault.makeTenant();
    const [first, second] = [await createApplication(vault, own), await createApplication(vault, own)];
    const foreign = await createApplication(vault, await vault.makeTenant());
    const list = async (query: string) => {
      const answer = await vault.request('GET', `/applications${query}`, { key: own.keys.management });
      expect(answer.status).toBe(200);
      return answer.body as { data: { id: string; type: string }[]; pagination: { total_items: number } };
    };
    const both = await list(`?id=${first.id}&id=${second.id.toUpperCase()}&id=${foreign.id}`);
    expect(both.data.map(({ id }) => id).toSorted()).toEqual([first.id, second.id].toSorted());
    expect(both.pagination.total_items).toBe(2);
    const typed = await list('?type=public&type=management');
    expect(typed.data.map(({ type }) => type).toSorted()).toEqual(['management', 'public']);
    expect((await list(`?type=public&id=${first.id}`)).data).toEqual([]);
  });

  it.each([
    ['?id=x', 'id'],
    ['?type=secret', 'type'],
  ])('400 refuses %s', async (query, field) => {
    const answer = await manage('GET', `/applications${query}`);
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer)).toEqual([field]);
  });

  it.each(['?page=99', '?page=999999999&size=100'])(
    '200 answers %s, past the end, with an empty page',
    async (query) => {
      const answer = await manage('GET', `/applications${query}`);
      expect(answer).toMatchObject({ status: 200, body: { data: [] } });
    },
  );

  it.each([
    ['size', '?size=101'],
    ['size', '?size=0'],
    ['size', '?size=-1'],
    ['size', '?size=1.5'],
    ['size', '?size=ten'],
    ['size', '?size='],
    ['size', '?size=1e1'],
    ['size', '?size=%31%00'],
    ['page', '?page=0'],
    ['page', '?page=-1'],
    ['page', '?page=1.0'],
    ['page', '?page=1000000000'],
    ['page', '?page=99999999999999999999'],
    ['page', '?page=1&page=2'],
  ])('400 names %s in %s', async (field, query) => {
    const answer = await manage('GET', `/applications${query}`);
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer)).toEqual([field]);
  });
});

describe('GET /applications/key', () => {
  it.each(['private', 'reveal', 'public', 'management'] as const)(
    '200 shows its application to a %s key',
    async (name) => {
      const answer = await vault.request('GET', '/applications/key', { key: tenant.keys[name] });
      expect(answer).toMatchObject({ status: 200, body: { tenant_id: tenant.id, name, keys: [{ version: '1' }] } });
      expect(answer.text).not.toContain(tenant.keys[name]);
    },
  );
});

describe('GET /applications/{id}', () => {
  it('200 shows the application, in either case of its id, and records the reading', async () => {
    const created = await create({ ...plain, rules: [rule] });
    const { key: _, ...visible } = created.body as { key: string; keys: object[] };
    const keys = (created.body as { keys: { key?: string }[] }).keys.map(({ key: _secret, ...rest }) => rest);
    const answer = await manage('GET', `/applications/${idOf(created).toUpperCase()}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ...visible, keys });
    expect(await recordsOf(vault, tenant, idOf(created))).toMatchObject([
      { operation: 'create' },
      { entity_type: 'application', operation: 'read', outcome: 'success', actor_id: managerId },
    ]);
  });
});

describe('PUT /applications/{id}', () => {
  it('200 replaces everything but the type, and records the change', async () => {
    const created = await create({ ...plain, rules: [rule], expires_at: '2030-01-01T00:00:00Z' });
    const answer = await manage('PUT', `/applications/${idOf(created)}`, {
      name: 'Renamed',
      type: 'management',
      permissions: ['token:use'],
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      id: idOf(created),
      tenant_id: tenant.id,
      name: 'Renamed',
      type: 'private',
      keys: [expect.objectContaining({ version: '1' })],
      permissions: ['token:use'],
      rules: [],
      created_by: managerId,
      created_at: (created.body as { created_at: string }).created_at,
      modified_by: managerId,
      modified_at: expect.stringMatching(utcTimestamp),
    });
    expect((await manage('GET', `/applications/${idOf(created)}`)).body).toEqual(answer.body);
    const records = await recordsOf(vault, tenant, idOf(created));
    expect(records).toMatchObject([
      { operation: 'create' },
      { operation: 'update', outcome: 'success' },
      { operation: 'read' },
    ]);
    const [first, second] = records.map(({ details }) => JSON.parse(String(details)) as Record<string, unknown>);
    expect(first).toEqual({
      changes: [
        'permission added: token:create',
        'permission added: token:read',
        'rule added: /pci/ mask token:read (priority 1)',
        'expiry added: 2030-01-01T00:00:00.000Z',
      ],
      digest: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(second).toEqual({
      changes: [
        'permission removed: token:create',
        'permission removed: token:read',
        'rule removed: /pci/ mask token:read (priority 1)',
        'expiry removed: 2030-01-01T00:00:00.000Z',
        'permission added: token:use',
      ],
      digest: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(second?.['digest']).not.toBe(first?.['digest']);
  });

  it.each([
    ['permissions', 'do not fit the type it has', { name: 'A', type: 'management', permissions: ['log:read'] }],
    ['permissions', 'and rules are missing', { name: 'A' }],
    ['name', 'is missing', { permissions: ['token:read'] }],
    ['rules.0.container', 'is none', { name: 'A', rules: [{ ...rule, container: 'x' }] }],
  ])('400 when %s %s, and nothing changes', async (field, _why, body) => {
    const created = await create(plain);
    const answer = await manage('PUT', `/applications/${idOf(created)}`, body);
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer)).toContain(field);
    expect(await recordsOf(vault, tenant, idOf(created))).toMatchObject([{ operation: 'create' }]);
    expect((await manage('GET', `/applications/${idOf(created)}`)).body).toMatchObject(plain);
  });
});

describe('DELETE /applications/{id}', () => {
  it('204 removes the application and its keys, and records it', async () => {
    const created = await create(plain);
    expect(await manage('DELETE', `/applications/${idOf(created)}`)).toMatchObject({ status: 204, text: '' });
    expect((await manage('GET', `/applications/${idOf(created)}`)).status).toBe(404);
    expect((await manage('DELETE', `/applications/${idOf(created)}`)).status).toBe(404);
    await untilTrue(
      async () => (await vault.request('GET', '/applications/key', { key: secretOf(created) })).status === 401,
      { waitingFor: 'the key to be refused' },
    );
    const { rows } = await vault.database.owner.query('select from application_keys where application_id = $1', [
      idOf(created),
    ]);
    expect(rows).toHaveLength(0);
    const done = (await recordsOf(vault, tenant, idOf(created))).filter(({ outcome }) => outcome === 'success');
    expect(done).toMatchObject([
      { operation: 'create' },
      { entity_type: 'application', operation: 'delete', actor_id: managerId },
    ]);
  });
});
