import { canGuessMasked } from '../../../core/access/guessing.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fieldsOf } from '../../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const names = ['private', 'reveal', 'public', 'management'] as const;
const get = (path: string, name: (typeof names)[number] = 'public') =>
  vault.request('GET', path, { key: tenant.keys[name] });
const typesOf = (answer: { body: unknown }) => (answer.body as { type: string }[]).map(({ type }) => type).toSorted();

const tokenPermissions = [
  ...['create', 'delete', 'read', 'search', 'update', 'use'].map((verb) => `token:${verb}`),
  ...['create', 'delete', 'read'].map((verb) => `token-intent:${verb}`),
];
const managementPermissions = [
  ...['create', 'delete', 'read', 'update'].map((verb) => `application:${verb}`),
  ...['create', 'delete', 'read'].map((verb) => `keys:${verb}`),
  'log:read',
  ...['create', 'delete', 'read', 'update'].map((verb) => `proxy:${verb}`),
  'report:read',
  'retention:read',
  'retention:update',
  ...['delete', 'read'].map((verb) => `session:${verb}`),
  'tenant:delete',
  ...['create', 'delete', 'read', 'update'].map((verb) => `tenant:invitation:${verb}`),
  ...['delete', 'read', 'update'].map((verb) => `tenant:member:${verb}`),
  ...['create', 'delete', 'read', 'update'].map((verb) => `webhook:${verb}`),
  'tenant:read',
  'tenant:update',
];

describe('GET /permissions', () => {
  it.each(names)('200 answers a %s key with a plain array of every permission', async (name) => {
    const answer = await get('/permissions', name);
    expect(answer.status).toBe(200);
    expect(typesOf(answer)).toEqual([...managementPermissions, ...tokenPermissions].toSorted());
    expect(answer.body).toContainEqual({
      type: 'token:create',
      description: expect.any(String),
      application_types: ['private', 'public'],
    });
  });

  it.each([
    ['private', tokenPermissions],
    ['public', ['token:create', 'token:update', 'token-intent:create']],
    ['management', managementPermissions],
  ])('200 answers with those of a %s application', async (type, expected) => {
    expect(typesOf(await get(`/permissions?application_type=${type}`))).toEqual(expected.toSorted());
  });

  it.each(['admin', '', 'PRIVATE', 'private&application_type=public'])(
    '400 refuses application_type=%s',
    async (type) => {
      const answer = await get(`/permissions?application_type=${type}`);
      expect(answer.status).toBe(400);
      expect(fieldsOf(answer)).toEqual(['application_type']);
    },
  );
});

describe('GET /roles', () => {
  it.each(names)('200 answers a %s key with a plain array', async (name) => {
    const answer = await get('/roles', name);
    expect(answer).toMatchObject({ status: 200, body: [{ name: 'OWNER' }, { name: 'ADMIN' }, { name: 'READ_ONLY' }] });
  });
});

describe('GET /application-templates', () => {
  it.each(names)('200 answers a %s key with a plain array', async (name) => {
    expect(await get('/application-templates', name)).toMatchObject({ status: 200, body: expect.any(Array) });
  });

  it('offers none with which an application could guess what a mask hides', async () => {
    const templates = (await get('/application-templates')).body as Parameters<typeof canGuessMasked>[0][];
    expect(templates.map(canGuessMasked)).toEqual(templates.map(() => false));
  });

  it('offers templates that applications can be made of as they are', async () => {
    const templates = (await get('/application-templates')).body as {
      name: string;
      application_type: string;
      permissions: string[];
      rules: object[];
    }[];
    expect(templates.map(({ application_type }) => application_type).toSorted()).toEqual([
      'management',
      'private',
      'public',
    ]);
    for (const { name, application_type, permissions, rules } of templates) {
      const answer = await vault.request('POST', '/applications', {
        key: tenant.keys.management,
        body: { name, type: application_type, permissions, rules },
      });
      expect(answer).toMatchObject({ status: 201, body: { permissions, rules } });
    }
  });
});

describe('GET /application-templates/{id}', () => {
  it.each(names)('200 answers a %s key with what the list shows', async (name) => {
    const templates = (await get('/application-templates')).body as { id: string }[];
    for (const template of templates) {
      expect(await get(`/application-templates/${template.id}`, name)).toMatchObject({ status: 200, body: template });
    }
  });

  it('says what a management key can do to tokens after all', async () => {
    const templates = (await get('/application-templates')).body as { application_type: string; description: string }[];
    const management = templates.find(({ application_type }) => application_type === 'management');
    expect(management?.description).toMatch(/any permission, including reading plaintext/);
  });

  it.each(['5f0f3c67-6b8e-4a3c-9a57-0f7d8f3e1aff', 'starter', '__proto__'])('404 for %s', async (id) => {
    const answer = await get(`/application-templates/${id}`);
    expect(answer).toMatchObject({ status: 404, body: { type: '/docs/errors/not-found' } });
  });
});
