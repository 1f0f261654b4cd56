import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { createApplication } from '../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { withLimits } from '../../platform/rate-limit/rate-limit-table.ts';

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

describe('with a list of origins', () => {
  const other = 'https://other.example';
  /** The origin of the vault's own pages, from its public URL. */
  const own = 'http://localhost';
  const crossOriginHeaders = ({ headers }: { readonly headers: Headers }) =>
    Object.fromEntries([...headers].filter(([name]) => name === 'vary' || name.startsWith('access-control-')));
  const createShop = (allowed: readonly string[]) =>
    createApplication(vault, tenant, { type: 'public', permissions: ['token:create'], allowed_origins: allowed });
  const startSession = async (key: string) => {
    const { body: started } = await vault.request('POST', '/sessions', { key });
    return started as { session_key: string; nonce: string };
  };
  const startAuthorized = async (key: string) => {
    const session = await startSession(key);
    const authorization = { nonce: session.nonce, permissions: ['token:create'] };
    await vault.request('POST', '/sessions/authorize', { key: tenant.keys.private, body: authorization });
    return session.session_key;
  };
  const keys: Record<string, string> = {};
  let shopId: string;
  beforeAll(async () => {
    const shop = await createShop(['https://first.example', origin]);
    shopId = shop.id;
    keys['public'] = shop.key;
    keys['session'] = await startAuthorized(shop.key);
    keys['empty'] = (await createShop([])).key;
  });

  it.each([
    ['public', origin],
    ['public', own],
    ['session', origin],
    ['session', own],
    ['empty', own],
  ])('a page that may use the %s key is named: %s', async (name, page) => {
    const answer = await create(keys[name], { origin: page });
    expect(answer.status).toBe(201);
    expect(crossOriginHeaders(answer)).toEqual({
      'access-control-allow-origin': page,
      'access-control-expose-headers': expect.stringContaining('bt-trace-id') as string,
      vary: 'origin',
    });
  });

  it.each(['public', 'session', 'empty'])('a program, which names no origin, may use the %s key', async (name) => {
    const answer = await create(keys[name], {});
    expect([answer.status, crossOriginHeaders(answer)]).toEqual([201, {}]);
  });

  it.each([
    ['public', other],
    ['public', 'null'],
    ['public', ''],
    ['public', `${origin}:8443`],
    ['public', `${origin}.evil.example`],
    ['public', `${origin}, ${other}`],
    ['public', 'http://shop.example'],
    ['public', 'http://localhost:1'],
    ['session', other],
    ['empty', origin],
  ])('the %s key is refused to a page of %j, which cannot read why', async (name, page) => {
    const answer = await create(keys[name], { origin: page });
    expect(answer).toMatchObject({ status: 403, body: { type: '/docs/errors/forbidden' } });
    expect(crossOriginHeaders(answer)).toEqual({});
    expect(answer.text).not.toContain('first.example');
  });

  it('a refusal comes before the body is read and before anything is said about permissions', async () => {
    const options = { headers: { origin: other, 'content-type': 'application/json' }, rawBody: '{' };
    const [unread, denied] = await Promise.all([
      vault.request('POST', '/tokens', { key: keys['public'] ?? '', ...options }),
      vault.request('GET', '/tokens/none', { key: keys['public'] ?? '', headers: { origin: other } }),
    ]);
    expect([unread.status, denied.status]).toEqual([403, 403]);
    expect((unread.body as { detail: string }).detail).toBe((denied.body as { detail: string }).detail);
  });

  it('other refusals may be read by a page that may use the key', async () => {
    const key = keys['public'] ?? '';
    const answer = await vault.request('GET', '/tokens/none', { key, headers: { origin } });
    expect(answer.status).toBe(403);
    expect(crossOriginHeaders(answer)).toMatchObject({ 'access-control-allow-origin': origin, vary: 'origin' });
  });

  it('a session that is not authorized is refused to other pages as well, and may not be started by them', async () => {
    const { session_key: unauthorized } = await startSession(keys['public'] ?? '');
    const details = await Promise.all(
      [origin, other].map(async (page) => {
        const answer = await create(unauthorized, { origin: page });
        return [answer.status, crossOriginHeaders(answer)['access-control-allow-origin']];
      }),
    );
    expect(details).toEqual([
      [403, origin],
      [403, undefined],
    ]);
    const started = await vault.request('POST', '/sessions', { key: keys['public'] ?? '', headers: { origin: other } });
    expect([started.status, crossOriginHeaders(started)]).toEqual([403, {}]);
  });

  it('a refusal is in the audit log as denied', async () => {
    const { key, keyId } = await createShop([origin]);
    await create(key, { origin: other });
    const records = (await vault.auditRecords(tenant.id)).filter((record) => record['key_id'] === keyId);
    expect(records).toMatchObject([{ entity_type: 'token', operation: 'create', outcome: 'denied' }]);
    expect(JSON.stringify(records)).not.toContain('other.example');
  });

  it('a change of the list takes effect, for sessions too', async () => {
    const { id, key } = await createShop([origin]);
    const session = await startAuthorized(key);
    const statuses = async (page: string) =>
      (await Promise.all([key, session].map((used) => create(used, { origin: page })))).map(({ status }) => status);
    expect([await statuses(origin), await statuses(other)]).toEqual([
      [201, 201],
      [403, 403],
    ]);
    const change = (more: object) =>
      vault.request('PUT', `/applications/${id}`, {
        key: tenant.keys.management,
        body: { name: 'Shop', permissions: ['token:create'], ...more },
      });
    const until = async (page: string, expected: number) => {
      const isThere = async () => (await statuses(page)).every((status) => status === expected);
      await untilTrue(isThere, { waitingFor: `${expected} for ${page}` });
    };
    await change({ allowed_origins: [other] });
    await until(origin, 403);
    await until(other, 201);
    await change({});
    await until(origin, 201);
    const free = await create(session);
    expect(crossOriginHeaders(free)).toMatchObject({ 'access-control-allow-origin': '*' });
    expect(free.headers.has('vary')).toBe(false);
  });

  it('preflights say the same as ever, since they carry no key', async () => {
    const answer = await vault.request('OPTIONS', `/applications/${shopId}`, {
      headers: { origin: other, 'access-control-request-method': 'POST' },
    });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  });
});
