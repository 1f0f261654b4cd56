import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestTenant, TestVault } from '../../test/harness/test-vault.ts';
import { withLimits } from '../platform/rate-limit/rate-limit-table.ts';

let vault: TestVault;
let tenant: TestTenant;
let sessionKey: string;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  const session = await vault.request('POST', '/sessions', { key: tenant.keys.public });
  const { session_key, nonce } = session.body as { session_key: string; nonce: string };
  sessionKey = session_key;
  await vault.request('POST', '/sessions/authorize', {
    key: tenant.keys.private,
    body: { nonce, permissions: ['token:create'] },
  });
});
afterAll(() => vault.stop());

const origin = 'https://shop.example';
const exposed = ['bt-trace-id', 'retry-after', 'bt-proxy-destination-status'];
const body = { type: 'token', data: 'x' };
const create = (key: string | undefined, headers: Record<string, string> = { origin }) =>
  vault.request('POST', '/tokens', { ...(key === undefined ? {} : { key }), body, headers });

describe('a preflight', () => {
  const preflight = (path: string, headers: Record<string, string> = {}) =>
    vault.request('OPTIONS', path, {
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'bt-api-key,content-type,bt-idempotency-key,x-fern-language',
        ...headers,
      },
    });

  it.each(['/tokens', '/tokens/some-id', '/sessions', '/applications', '/nowhere'])(
    'is answered without a key: %s',
    async (path) => {
      const answer = await preflight(path);
      expect(answer).toMatchObject({ status: 204, text: '' });
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(answer.headers.get('access-control-allow-headers')).toBe('*');
      expect(answer.headers.get('access-control-max-age')).toBe('7200');
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        expect(answer.headers.get('access-control-allow-methods')).toContain(method);
      }
      expect(answer.headers.has('access-control-allow-credentials')).toBe(false);
    },
  );

  it('does not depend on the key, which browsers do not send with it', async () => {
    expect((await preflight('/tokens', { 'bt-api-key': tenant.keys.private })).status).toBe(204);
  });

  it.each([{ origin: '' }, { 'access-control-request-method': 'x' }])(
    'is only what a browser sends: %j',
    async (part) => {
      const [name] = Object.keys(part);
      const headers = { origin, 'access-control-request-method': 'POST' };
      const kept = Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
      const answer = await vault.request('OPTIONS', '/tokens', { headers: kept });
      expect([answer.status, answer.headers.get('allow')]).toEqual([204, 'GET, HEAD, POST, OPTIONS']);
      expect(answer.headers.has('access-control-allow-methods')).toBe(false);
    },
  );

  it('is answered to a client that is past its limit, so that the page can read why', async () => {
    const limited = await TestVault.start(undefined, { limits: { table: withLimits({ global: 1 }) } });
    const headers = { origin, 'access-control-request-method': 'GET' };
    await limited.request('GET', '/roles');
    const answer = await limited.request('GET', '/roles', { headers: { origin } });
    expect(answer.status).toBe(429);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-expose-headers')).toContain('retry-after');
    expect((await limited.request('OPTIONS', '/roles', { headers })).status).toBe(204);
    await limited.stop();
  });
});

describe('an answer', () => {
  it.each<[string, () => string, number]>([
    ['public', () => tenant.keys.public, 201],
    ['session', () => sessionKey, 201],
  ])('to a %s key may be read by any page', async (_name, key, status) => {
    const answer = await create(key());
    expect(answer.status).toBe(status);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    for (const name of exposed)
      expect(answer.headers.get('access-control-expose-headers')?.split(', ')).toContain(name);
    expect(answer.headers.has('access-control-allow-credentials')).toBe(false);
  });

  it.each<[string, () => string | undefined, string, number]>([
    ['403, public key', () => tenant.keys.public, 'GET /tokens/none', 403],
    ['401, unknown key', () => 'key_test_pub_nonsense', 'GET /tokens/none', 401],
    ['401, no key', () => undefined, 'GET /tokens/none', 401],
    ['404, unknown path', () => undefined, 'GET /nowhere', 404],
    ['404, path that cannot be read', () => undefined, 'GET /tokens/%zz', 404],
    ['415, public key', () => tenant.keys.public, 'POST /tokens', 415],
  ])('that refuses may be read too: %s', async (_name, key, request, status) => {
    const given = key();
    const [method = '', path = ''] = request.split(' ');
    const answer = await vault.request(method, path, {
      ...(given === undefined ? {} : { key: given }),
      ...(method === 'POST' ? { rawBody: '{}' } : {}),
      headers: { origin, ...(method === 'POST' ? { 'content-type': 'text/plain' } : {}) },
    });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  });

  it.each([
    ['private', 'POST', '/tokens', 201],
    ['reveal', 'POST', '/tokens', 201],
    ['private', 'GET', '/tokens', 200],
    ['private', 'GET', '/tokens/none', 404],
    ['private', 'GET', '/tenants/self', 403],
    ['management', 'GET', '/tenants/self', 200],
    ['management', 'POST', '/tokens', 403],
    ['management', 'GET', '/applications?page=0', 400],
  ] as const)('to a %s key is for no page: %s %s', async (name, method, path, status) => {
    const answer = await vault.request(method, path, {
      key: tenant.keys[name],
      headers: { origin },
      ...(method === 'POST' ? { body } : {}),
    });
    expect(answer.status).toBe(status);
    expect([...answer.headers.keys()].filter((header) => header.startsWith('access-control-'))).toEqual([]);
  });

  it('to somebody who is no browser says nothing about pages', async () => {
    const answer = await create(tenant.keys.public, {});
    expect([...answer.headers.keys()].filter((header) => header.startsWith('access-control-'))).toEqual([]);
  });

  it('never repeats the origin', async () => {
    const answer = await create(tenant.keys.public, { origin: 'https://c4n4ry.example' });
    expect(JSON.stringify([...answer.headers])).not.toContain('c4n4ry');
  });
});
