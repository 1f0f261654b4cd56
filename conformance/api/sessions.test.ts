import { describe, expect, inject, it } from 'vitest';
import { untilTrue } from '../../server/test/harness/deadline.ts';
import { ApiCaller, fieldsOf } from '../harness/api-caller.ts';
import { isoTimestamp } from '../harness/value-forms.ts';

const vault = inject('vault');
const page = new ApiCaller(vault, vault.keys.public);
const backend = new ApiCaller(vault, vault.keys.private);
const permissions = ['token:create'];

interface SessionAnswer {
  readonly session_key: string;
  readonly nonce: string;
  readonly expires_at: string;
}
async function open(): Promise<SessionAnswer & { caller: ApiCaller }> {
  const answer = await page.post('/sessions');
  expect(answer.status).toBe(201);
  const session = answer.body as SessionAnswer;
  return { ...session, caller: new ApiCaller(vault, session.session_key) };
}
const authorize = (body: object) => backend.post('/sessions/authorize', body);
const create = (caller: ApiCaller) => caller.post('/tokens', { type: 'token', data: 'x' });

describe('Resources: create session response object', () => {
  it('has a key, a nonce and an end three minutes ahead', async () => {
    const { session_key, nonce, expires_at } = await open();
    expect([session_key, nonce].every((text) => text.length > 20)).toBe(true);
    expect(expires_at).toMatch(isoTimestamp);
    expect((new Date(expires_at).getTime() - Date.now()) / 60_000).toBeCloseTo(3, 0);
  });
});

describe('States: session', () => {
  it('created: without any access', async () => {
    const { caller } = await open();
    expect((await create(caller)).status).toBe(403);
    expect((await caller.get('/tokens')).status).toBe(403);
  });

  it('authorized: has what it was given, and no more', async () => {
    const { caller, nonce } = await open();
    expect((await authorize({ nonce, permissions })).status).toBe(200);
    expect((await create(caller)).status).toBe(201);
    expect((await caller.get('/tokens')).status).toBe(403);
  });

  it('its time reached: its key is unknown', async () => {
    const { caller, nonce } = await open();
    const expires_at = new Date(Date.now() + 5_000).toISOString();
    expect((await authorize({ nonce, permissions, expires_at })).status).toBe(200);
    expect((await create(caller)).status).toBe(201);
    const isOver = async () => (await create(caller)).status === 401;
    await untilTrue(isOver, { waitingFor: 'the end of the session' });
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expires_at));
  });
});

describe('Endpoints: POST /sessions', () => {
  it('needs no body', async () => {
    expect((await page.ask('POST', '/sessions')).status).toBe(201);
  });
});

describe('Endpoints: POST /sessions/authorize', () => {
  it('nonce: required', async () => {
    expect(fieldsOf(await authorize({ permissions }))).toEqual(['nonce']);
  });

  it('nonce: works once', async () => {
    const { nonce } = await open();
    expect((await authorize({ nonce, permissions })).status).toBe(200);
    expect((await authorize({ nonce, permissions })).status).toBe(409);
  });

  it('nonce: one that was never given is an error', async () => {
    expect((await authorize({ nonce: crypto.randomUUID(), permissions })).status).toBe(404);
  });

  it('rules: give access as they say', async () => {
    const { caller, nonce } = await open();
    const rule = { description: 'One place', priority: 1, container: '/here/', transform: 'mask', permissions };
    await authorize({ nonce, rules: [rule] });
    expect((await caller.post('/tokens', { type: 'token', data: 'x', containers: ['/here/'] })).status).toBe(201);
    expect((await create(caller)).status).toBe(403);
  });

  it.each([{}, { permissions: [] }, { rules: [] }, { permissions: [], rules: [] }])(
    'permissions and rules: one of them has something in it: %j has not',
    async (grant) => {
      const { nonce } = await open();
      expect((await authorize({ nonce, ...grant })).status).toBe(400);
      expect((await authorize({ nonce, permissions })).status).toBe(200);
    },
  );

  it('expires_at: three minutes after the creation where it is left out', async () => {
    const { nonce, caller } = await open();
    await authorize({ nonce, permissions });
    expect((await create(caller)).status).toBe(201);
  });

  it('answers without a body', async () => {
    const { nonce } = await open();
    expect(await authorize({ nonce, permissions })).toMatchObject({ status: 200, text: '' });
  });
});
