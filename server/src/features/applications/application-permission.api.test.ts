import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestResponse, type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const manage = (method: string, path: string, body: unknown) =>
  vault.request(method, path, { key: tenant.keys.management, body });
const create = (body: unknown) => manage('POST', '/applications', body);
const idOf = ({ body }: TestResponse) => (body as { id: string }).id;
const secretOf = ({ body }: TestResponse) => (body as { key: string }).key;
const plain = { name: 'Plain', type: 'private', permissions: ['token:read'] };
const rule = { description: 'Cards', priority: 1, container: '/pci/', transform: 'mask', permissions: ['token:read'] };

describe('POST /applications', () => {
  it('201 takes a public application that holds nothing itself', async () => {
    for (const body of [{}, { permissions: [] }, { permissions: null, rules: null }, { rules: [] }]) {
      const answer = await create({ name: 'Sessions only', type: 'public', ...body });
      expect(answer).toMatchObject({ status: 201, body: { permissions: [], rules: [] } });
    }
  });

  it('201 takes proxy:invoke for token:use, in permissions and rules', async () => {
    const using = { ...rule, transform: 'reveal', permissions: ['proxy:invoke', 'token:use'] };
    const answer = await create({ ...plain, permissions: ['proxy:invoke', 'token:use'], rules: [using] });
    expect(answer).toMatchObject({
      status: 201,
      body: { permissions: ['token:use'], rules: [{ permissions: ['token:use'] }] },
    });
  });

  it('201 and 200 take null for whatever may be left out', async () => {
    const nothing = { rules: null, expires_at: null, allowed_destinations: null, allowed_origins: null };
    const answer = await create({ ...plain, ...nothing, create_key: null });
    expect(answer).toMatchObject({ status: 201, body: { rules: [] } });
    expect(secretOf(answer)).toMatch(/^key_/);
    const changed = await manage('PUT', `/applications/${idOf(answer)}`, {
      name: 'Changed',
      ...nothing,
      rules: [{ ...rule, description: null, conditions: null }],
      permissions: null,
    });
    expect(changed).toMatchObject({ status: 200, body: { permissions: [], rules: [{ container: rule.container }] } });
  });

  it.each([
    ['private', 'token:create, token:read, token:update, token:delete, token:search, token:use'],
    ['public', 'token:create, token:update'],
  ])('400 lists what a %s application can hold', async (type, list) => {
    const message = `must be permissions that a ${type} application can hold: ${list}`;
    for (const permission of ['token:fly', 'log:read']) {
      const answer = await create({ ...plain, type, permissions: [permission] });
      expect(answer.status).toBe(400);
      expect(answer.text).toContain(message);
      expect(answer.text).not.toContain(permission === 'token:fly' ? 'fly' : 'log:read');
    }
  });
});

describe('PUT /applications/{id}', () => {
  it('400 lists what each type can hold for a name that nobody knows, and what this type can for another', async () => {
    const id = idOf(await create(plain));
    const unknown = await manage('PUT', `/applications/${id}`, { name: 'x', permissions: ['token:fly'] });
    expect(unknown.status).toBe(400);
    expect(unknown.text).toContain('a public application can hold: token:create, token:update');
    const foreign = await manage('PUT', `/applications/${id}`, { name: 'x', permissions: ['log:read'] });
    expect(foreign.status).toBe(400);
    expect(foreign.text).toContain('must be permissions that a private application can hold: token:create');
    expect(foreign.text).not.toContain('a public application');
  });

  it('200 takes all rights from a public application, 400 from others', async () => {
    const open = idOf(await create({ name: 'x', type: 'public', permissions: ['token:create'] }));
    expect((await manage('PUT', `/applications/${open}`, { name: 'x' })).status).toBe(200);
    expect((await manage('PUT', `/applications/${idOf(await create(plain))}`, { name: 'x' })).status).toBe(400);
  });
});

describe('null for what may be left out', () => {
  it('is absent in the settings of a tenant and in a question about access', async () => {
    expect((await manage('PUT', '/tenants/self', { name: 'x', settings: null })).status).toBe(200);
    const question = { rules: [rule], permissions: null, application_id: null, token_id: null, permission: null };
    expect((await manage('POST', '/access/explain', { ...question, container: '/pci/' })).status).toBe(200);
  });

  it('is absent in a token, while an empty list of containers is 400 in a plain sentence', async () => {
    const token = { type: 'token', data: 'x' };
    const nothing = { id: null, containers: null, metadata: null, search_indexes: null, expires_at: null };
    const send = (body: unknown) => vault.request('POST', '/tokens', { key: tenant.keys.private, body });
    expect((await send({ ...token, ...nothing })).status).toBe(201);
    expect(await send({ ...token, containers: [] })).toMatchObject({
      status: 400,
      body: {
        errors: { containers: ['must have 1 to 10 containers; omit it for the default containers of the type'] },
      },
    });
  });
});
