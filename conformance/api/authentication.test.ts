import { beforeAll, describe, expect, inject, it } from 'vitest';
import { ApiCaller } from '../harness/api-caller.ts';
import { type MadeApplication, makeApplication } from '../harness/make-application.ts';

const vault = inject('vault');
const none = crypto.randomUUID();
const email = { email: `${none}@example.com` };

/** Every endpoint with a valid body and the permission that it requires. */
const endpoints = [
  ['POST', '/tokenize', 'token:create', { a: 'x' }],
  ['POST', '/tokens', 'token:create', { type: 'token', data: 'x' }],
  ['GET', '/tokens', 'token:read', undefined],
  ['GET', `/tokens/${none}`, 'token:read', undefined],
  ['PATCH', `/tokens/${none}`, 'token:update', {}],
  ['DELETE', `/tokens/${none}`, 'token:delete', undefined],
  ['GET', '/logs', 'log:read', undefined],
  ['GET', '/logs/entity-types', 'log:read', undefined],
  ['GET', '/tenants/self/members', 'tenant:member:read', undefined],
  ['DELETE', `/tenants/self/members/${none}`, 'tenant:member:delete', undefined],
  ['POST', '/tenants/self/invitations', 'tenant:invitation:create', email],
  ['GET', '/tenants/self/invitations', 'tenant:invitation:read', undefined],
  ['GET', `/tenants/self/invitations/${none}`, 'tenant:invitation:read', undefined],
  ['DELETE', `/tenants/self/invitations/${none}`, 'tenant:invitation:delete', undefined],
  ['POST', '/proxy', 'token:use', {}],
] as const;
const bodyOf = (body: unknown) => (body === undefined ? {} : { body });
const withoutPermission = [
  ['POST', `/tenants/self/invitations/${none}/resend`],
  ['POST', '/sessions'],
  ['POST', '/sessions/authorize'],
] as const;

describe('Authentication 1: every request carries BT-API-KEY', () => {
  const all = [...endpoints, ...withoutPermission].map(([method, path]) => [method, path] as const);

  it.each(all)('%s %s refuses a request without a key, and one with an unknown key', async (method, path) => {
    expect((await new ApiCaller(vault, undefined).ask(method, path)).status).toBe(401);
    expect((await new ApiCaller(vault, 'nobody').ask(method, path)).status).toBe(401);
  });
});

describe('Authentication 2: the key of a session', () => {
  it('has no access before the session is authorized, and is an API key afterwards', async () => {
    const created = await new ApiCaller(vault, vault.keys.public).post('/sessions');
    const { session_key, nonce } = created.body as { session_key: string; nonce: string };
    const session = new ApiCaller(vault, session_key);
    expect((await session.post('/tokens', { type: 'token', data: 'x' })).status).toBe(403);
    const backend = new ApiCaller(vault, vault.keys.private);
    await backend.post('/sessions/authorize', { nonce, permissions: ['token:create'] });
    expect((await session.post('/tokens', { type: 'token', data: 'x' })).status).toBe(201);
  });
});

describe('Authentication 3: each endpoint asks for its permission', () => {
  const wanted = [...new Set(endpoints.map(([, , permission]) => permission))];
  const typeOf = (permission: string) => (permission.startsWith('token') ? 'private' : 'management');
  const only = new Map<string, MadeApplication>();
  const allBut = new Map<string, MadeApplication>();
  beforeAll(async () => {
    for (const permission of wanted) {
      const type = typeOf(permission);
      const others = wanted.filter((other) => other !== permission && typeOf(other) === type);
      only.set(permission, await makeApplication(vault, { type, permissions: [permission] }));
      allBut.set(permission, await makeApplication(vault, { type, permissions: others }));
    }
  });

  it.each(endpoints)('%s %s: %s', async (method, path, permission, body) => {
    const allowed = await only.get(permission)?.caller.ask(method, path, bodyOf(body));
    expect([200, 201, 204, 400, 404]).toContain(allowed?.status);
    const denied = await allBut.get(permission)?.caller.ask(method, path, bodyOf(body));
    expect(denied?.status).toBe(403);
  });
});

describe('Authentication 5: reads apply the transform of the calling application', () => {
  it('the same token is shown differently to two keys', async () => {
    const masked = new ApiCaller(vault, vault.keys.private);
    const { id } = await masked.store({ type: 'card_number', data: '4242424242424242' });
    expect((await masked.read(id)).data).toBe('XXXXXXXXXXXX4242');
    expect((await new ApiCaller(vault, vault.keys.reveal).read(id)).data).toBe('4242424242424242');
  });
});

describe('Errors', () => {
  it.each([
    ['400', 'POST', '/tokens', vault.keys.private],
    ['401', 'GET', '/tokens', 'nobody'],
    ['403', 'GET', '/logs', vault.keys.private],
    ['404', 'GET', `/tokens/${none}`, vault.keys.private],
    ['415', 'PATCH', `/tokens/${none}`, vault.keys.private],
  ])('%s is a problem that says what happened', async (status, method, path, key) => {
    const headers = { 'content-type': 'application/json' };
    const question = method === 'GET' ? {} : { rawBody: '{}', headers };
    const answer = await new ApiCaller(vault, key).ask(method, path, question);
    expect(answer.status).toBe(Number(status));
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(answer.body).toMatchObject({ status: Number(status), type: expect.any(String), title: expect.any(String) });
  });
});
