import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestResponse, type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const errorsOf = ({ body }: TestResponse) => (body as { errors?: Record<string, string[]> }).errors ?? {};
const isManagement = (path: string) => !/^(\/v2)?\/(token|erasures)/.test(path);
const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  vault.request(method, path, {
    key: isManagement(path) ? tenant.keys.management : tenant.keys.private,
    headers,
    ...(body === undefined ? {} : { body }),
  });

describe('a member of a body with almost the name of a known one', () => {
  const rule = { description: 'x', priority: 1, container: '/', transform: 'mask', permissions: ['token:read'] };
  it.each([
    ['POST', '/tokens', { type: 'token', data: 1, continers: ['/pci/high/'] }, 'containers'],
    ['POST', '/tokens', { type: 'token', data: 1, container: '/pci/high/' }, 'containers'],
    ['POST', '/tokens', { type: 'token', data: 1, expiresAt: '2050-01-01' }, 'expires_at'],
    ['POST', '/tokens', { type: 'token', data: 1, deduplicate_tokens: true }, 'deduplicate_token'],
    ['POST', '/tokens', { type: 'token', data: 1, 'Meta-Data': {} }, 'metadata'],
    ['POST', '/tokenize', { type: 'token', data: 1, continers: ['/pci/high/'] }, 'containers'],
    ['POST', '/tokenize', { card: { type: 'token', data: 1, mas: null } }, 'card.mask'],
    ['POST', '/tokenize', { card: { type: 'card', encryptd: 'x' } }, 'card.encrypted'],
    ['POST', '/tokenize', { card: { tpye: 'card', encrypted: 'x' } }, 'card.type'],
    ['POST', '/tokens/search', { quary: 'type:card' }, 'query'],
    ['POST', '/v2/tokens/search', { querry: 'type:card' }, 'query'],
    ['POST', '/applications', { name: 'x', type: 'private', permissions: ['token:read'], rule: [] }, 'rules'],
    [
      'POST',
      '/applications',
      { name: 'x', type: 'private', permissions: ['token:read'], creat_key: false },
      'create_key',
    ],
    [
      'POST',
      '/applications',
      { name: 'x', type: 'private', rules: [{ ...rule, condition: [] }] },
      'rules.0.conditions',
    ],
    ['POST', '/tenants/self/invitations', { email: 'a@example.com', roles: 'ADMIN' }, 'role'],
    ['PUT', '/tenants/self', { name: 'x', setings: {} }, 'settings'],
  ])('%s %s is 400 and names the known one: %j', async (method, path, body, known) => {
    const answer = await ask(method, path, body);
    expect([answer.status, Object.keys(errorsOf(answer))]).toEqual([400, [known]]);
    expect(errorsOf(answer)[known]?.join()).toMatch(/^is misspelled/);
  });

  it('is 400 in a PATCH as well, and changes nothing', async () => {
    const { id } = (await ask('POST', '/tokens', { type: 'token', data: 1, metadata: { a: 'b' } })).body as {
      id: string;
    };
    const headers = { 'content-type': 'application/merge-patch+json' };
    const answer = await ask('PATCH', `/tokens/${id}`, { metadata: { a: 'c' }, expires_att: null }, headers);
    expect([answer.status, Object.keys(errorsOf(answer))]).toEqual([400, ['expires_at']]);
    expect((await ask('GET', `/tokens/${id}`)).body).toMatchObject({ metadata: { a: 'b' } });
  });

  it('is not repeated: a name can be a value that was pasted in the wrong place', async () => {
    const answer = await ask('POST', '/tokens', { type: 'token', data: 1, CONTAINER$: ['/'] });
    expect(answer.status).toBe(400);
    expect(answer.text).not.toContain('CONTAINER$');
  });

  it('is reported beside what else is wrong', async () => {
    const answer = await ask('POST', '/token-intents', { tpye: 'token', data: 1 });
    expect(errorsOf(answer)).toEqual({ type: ['is required', expect.stringMatching(/^is misspelled/)] });
  });
});

describe('a member of a body that is like no known one', () => {
  it.each([
    ['/tokens', { type: 'token', data: 1, privacy: { impact_level: 'high' }, x: 1 }],
    ['/tokenize', { type: 'token', data: 1, privacy: {} }],
    ['/tokens/search', { query: '', sort: 'x' }],
  ])('%s ignores it: %j', async (path, body) => {
    expect((await ask('POST', path, body)).status).toBeLessThan(300);
  });

  it('may have any name inside of data, metadata and settings', async () => {
    const data = { continers: 1, typ: 'x' };
    const answer = await ask('POST', '/tokens', { type: 'token', data, metadata: { metadat: 'x' } });
    expect(answer.status).toBe(201);
    expect((await ask('PUT', '/tenants/self', { name: 'x', settings: { nam: 'x' } })).status).toBe(200);
  });
});

describe('a query parameter that does not exist', () => {
  it('is 400 on every list, search and log route', async () => {
    const { paths } = (await vault.request('GET', '/openapi.json')).body as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    const listing = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { operationId }]) =>
        /^(list|search)/.test(operationId) || path.startsWith('/logs') ? [[method.toUpperCase(), path] as const] : [],
      ),
    );
    expect(listing.length).toBeGreaterThan(12);
    const { id } = (await ask('GET', '/applications')).body as { id: string };
    for (const [method, path] of listing) {
      const url = path.replace('{id}', id);
      const answer = await ask(method, `${url}?contaner=/pci/`, method === 'POST' ? {} : undefined);
      expect([method, path, answer.status]).toEqual([method, path, 400]);
      expect(errorsOf(answer)['querystring']).toEqual([expect.any(String)]);
      expect(answer.text).not.toContain('contaner');
    }
  });

  it('is answered with the names that there are', async () => {
    const answer = await ask('GET', '/tokens?typo=card');
    expect(errorsOf(answer)['querystring']?.join()).toContain('id, type, container, fingerprint, metadata, page, size');
    expect(errorsOf(await ask('GET', '/roles?x=1'))['querystring']?.join()).toMatch(/no parameters/);
  });

  it.each([
    '/tokens?metadata.customer=1',
    '/tokens?metadata[customer]=1',
    '/v2/tokens?metadata.a=1&metadata.b=2',
    '/v2/tokens?metadata=%7B%22a%22%3A%22b%22%7D',
    '/tokens?id=a&id=b&type=card&container=/pci/&fingerprint=x&page=1&size=5',
    '/logs?entity_type=token&start_date=2020-01-01&end_date=2050-01-01&page=1&size=1',
    '/tenants/self/members?page=1&size=50',
    '/permissions?application_type=private',
  ])('is none of those in %s', async (path) => {
    expect((await ask('GET', path)).status).toBe(200);
  });
});
