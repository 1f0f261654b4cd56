import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeLimitedKey, makeSessionKey, ruleOn } from '../harness/limited-key.ts';
import { ProxyVault } from '../harness/proxy-vault.ts';
import { fieldsOf } from '../harness/test-application.ts';
import type { TestResponse, TestTenant, TestVault } from '../harness/test-vault.ts';

/* Attacks on token intents by callers that know an id: they keep one longer, read it, or exhaust memory with many. */
let proxy: ProxyVault;
let vault: TestVault;
let tenant: TestTenant;
let maker: string;
beforeAll(async () => {
  proxy = await ProxyVault.start();
  ({ vault, tenant } = proxy);
  maker = await makeLimitedKey(vault, tenant, { permissions: ['token-intent:create', 'token-intent:read'] });
});
afterAll(() => proxy.stop());

const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 };
const post = (path: string, key: string, body: unknown) => vault.request('POST', path, { key, body });
const idOf = ({ body }: TestResponse) => (body as { id: string }).id;
const make = async (data: unknown = card, type = 'card') => idOf(await post('/token-intents', maker, { type, data }));

describe('a key that may create token intents', () => {
  it('cannot copy one, which would extend its life and show it to a key that may not read it', async () => {
    const key = await makeLimitedKey(vault, tenant, { type: 'public', permissions: ['token-intent:create'] });
    const answer = await post('/token-intents', key, { type: 'card', token_intent_id: await make() });
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['data']]);
    expect(answer.text).not.toContain('4242');
  });

  it('cannot choose what its fingerprint is made of', async () => {
    const [plain, chosen] = await Promise.all(
      [{}, { fingerprint_expression: '{{ data.expiration_month }}' }].map(async (more) => {
        const { body } = await post('/token-intents', tenant.keys.reveal, { type: 'card', data: card, ...more });
        return (body as { fingerprint?: string }).fingerprint;
      }),
    );
    expect(chosen).toBe(plain);
  });
});

describe('a session that reads the tokens with ids of its own', () => {
  const everything = { has: { rules: [ruleOn('/', 'reveal', 'token:read', 'token:create', 'token:use')] } };
  const own = (transform: string, ...permissions: string[]) => ({
    conditions: [{ attribute: 'id', operator: 'starts_with', value: 'mine-' }],
    transform,
    permissions,
  });

  it.each(['token:read', 'token:use'])('403 cannot move a token intent to such an id, by %s', async (permission) => {
    const rules = [ruleOn('/pci/high/', 'mask', 'token:create'), own('reveal', permission)];
    const key = await makeSessionKey(vault, tenant, { rules }, everything);
    const token = { token_intent_id: await make(), id: `mine-${crypto.randomUUID()}` };
    for (const path of ['/tokens', '/tokenize']) {
      expect(await post(path, key, { type: 'card', ...token })).toMatchObject({
        status: 403,
        body: { detail: expect.stringContaining('sees more of it') },
      });
    }
  });

  it('201 can make it a token under an id where it sees no more', async () => {
    const rules = [ruleOn('/pci/high/', 'mask', 'token:create'), own('reveal', 'token:read')];
    const key = await makeSessionKey(vault, tenant, { rules }, everything);
    const answer = await post('/tokens', key, { token_intent_id: await make(), id: `yours-${crypto.randomUUID()}` });
    expect(answer.status).toBe(201);
    expect(answer.text).not.toContain(card.number);
  });
});

describe('a team with keys on containers of its own', () => {
  const mine = { containers: ['/mine/'] };
  const storing = (...permissions: string[]) =>
    makeLimitedKey(vault, tenant, {
      rules: [ruleOn('/mine/', 'mask', 'token:create'), ruleOn('/pci/high/', 'mask', ...permissions)],
    });

  it.each<[string, readonly string[], object]>([
    ['whose type it may not store', ['token:read'], mine],
    ['whose type it may only store', ['token:create'], mine],
    ['that stays where it is as well', ['token:create'], { containers: ['/pci/high/', '/mine/'] }],
  ])('403 cannot take a token intent there for its other keys to read: %s', async (_name, permissions, more) => {
    const key = await storing(...permissions);
    const id = await make();
    for (const path of ['/tokens', '/tokenize']) {
      expect(await post(path, key, { type: 'card', token_intent_id: id, ...more })).toMatchObject({
        status: 403,
        body: { detail: 'Missing permission: token:update on container /pci/high/' },
      });
    }
    const reader = await makeLimitedKey(vault, tenant, { permissions: ['token-intent:read'] });
    expect((await vault.request('GET', `/token-intents/${id}`, { key: reader })).status).toBe(200);
  });

  it('201 can, with the right to move tokens of the type, and stores them where they belong without it', async () => {
    const moving = { token_intent_id: await make(), ...mine };
    expect((await post('/tokens', await storing('token:update'), moving)).status).toBe(201);
    const staying = { token_intent_id: await make(), containers: ['/pci/high/'] };
    expect((await post('/tokens', await storing('token:create'), staying)).status).toBe(201);
  });
});

it('400 a small request cannot load many large token intents into memory', async () => {
  const ids = await Promise.all(Array.from({ length: 4 }, () => make('x'.repeat(3 * 1024 * 1024), 'token')));
  const creator = await makeLimitedKey(vault, tenant, { permissions: ['token:create', 'token:use'] });
  const problem = { detail: expect.stringContaining('too much data together') };
  const requests = ids.map((id) => ({ type: 'token', token_intent_id: id }));
  expect(await post('/tokenize', creator, requests)).toMatchObject({ status: 400, body: problem });
  const body = JSON.stringify(ids.map((id) => `{{ token_intent: ${id} | json: '$.type' }}`));
  const call = { key: creator, body, headers: { 'content-type': 'application/json' } };
  expect(await proxy.call(call)).toMatchObject({ status: 400, body: { proxy_error: problem } });
  expect((await post('/tokenize', creator, requests.slice(0, 2))).status).toBe(200);
});
