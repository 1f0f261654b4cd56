import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { encryptForVault } from '../../../test/harness/client-encryption.ts';
import { makeLimitedKey, ruleOn } from '../../../test/harness/limited-key.ts';
import { makeClientKey } from '../../../test/harness/make-client-key.ts';
import { ProxyVault } from '../../../test/harness/proxy-vault.ts';
import { fieldsOf } from '../../../test/harness/test-application.ts';
import type { TestResponse, TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { parseTenantId } from '../../core/identity/ids.ts';
import { deleteExpiredIntentCodes, deleteExpiredIntents } from './sweep-token-intents-jobs.ts';

let proxy: ProxyVault;
let vault: TestVault;
let tenant: TestTenant;
let creating: string;
beforeAll(async () => {
  proxy = await ProxyVault.start();
  ({ vault } = proxy);
});
beforeEach(async () => {
  tenant = await vault.makeTenant();
  const permissions = ['token-intent:create', 'token-intent:read', 'token-intent:delete', 'token:create', 'token:use'];
  creating = await makeLimitedKey(vault, tenant, { permissions: [...permissions, 'token:read'] });
});
afterAll(() => proxy.stop());

const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 };
const ask = (method: string, path: string, body?: unknown, key = creating) =>
  vault.request(method, path, { key, ...(body === undefined ? {} : { body }) });
const idOf = ({ body }: TestResponse) => (body as { id: string }).id;
const make = async (data: object = { ...card, cvc: '987' }) =>
  idOf(await ask('POST', '/token-intents', { type: 'card', data }));
const convert = (id: string, more: object = {}, key = creating) =>
  ask('POST', '/tokens', { token_intent_id: id, ...more }, key);
const expire = (id: string) =>
  vault.database.owner.query("update token_intents set expires_at = now() - interval '1 ms' where id = $1", [id]);
const useOf = (id: string) =>
  proxy.call({
    key: creating,
    body: JSON.stringify({
      number: `{{ token_intent: ${id} | json: '$.data.number' }}`,
      all: `{{token_intent:${id}}}`,
    }),
    headers: { 'content-type': 'application/json' },
  });

async function recorded(): Promise<string[]> {
  return (await vault.auditRecords(tenant.id))
    .filter((record) => record['entity_type'] === 'token_intent')
    .map(({ operation, entity_id, outcome }) => `${String(operation)} ${String(entity_id)} ${String(outcome)}`);
}

describe('a token intent', () => {
  it('201 is created, shown and deleted without its data, and each is recorded', async () => {
    const created = await ask('POST', '/token-intents', { type: 'card', data: { ...card, cvc: '987' } });
    expect(created).toMatchObject({
      status: 201,
      body: {
        tenant_id: tenant.id,
        type: 'card',
        card: { last4: '4242', brand: 'visa' },
        fingerprint: expect.any(String),
      },
    });
    expect(created.text).not.toMatch(/4242424242424242|"987"/);
    const { created_at: start, expires_at: end } = created.body as { created_at: string; expires_at: string };
    expect(Date.parse(end) - Date.parse(start)).toBe(24 * 3_600_000);
    const id = idOf(created);
    expect((await ask('GET', `/token-intents/${id}`)).body).toEqual(created.body);
    expect((await ask('DELETE', `/token-intents/${id}`)).status).toBe(204);
    expect((await ask('GET', `/token-intents/${id}`)).status).toBe(404);
    expect((await ask('DELETE', `/token-intents/${id}`)).status).toBe(404);
    expect(await recorded()).toEqual(
      expect.arrayContaining([`create ${id} success`, `read ${id} success`, `delete ${id} success`]),
    );
  });

  it('lives for as long as the tenant has set', async () => {
    const settings = async (hours: string) =>
      vault.request('PUT', '/tenants/self', {
        key: tenant.keys.management,
        body: { name: 'x', settings: { token_intent_hours: hours } },
      });
    expect((await settings('48')).status).toBe(200);
    for (const hours of ['49', '0', '1.5', 'x']) expect((await settings(hours)).status).toBe(400);
    const { body } = await ask('POST', '/token-intents', { type: 'card', data: card });
    const { created_at: start, expires_at: end } = body as { created_at: string; expires_at: string };
    expect(Date.parse(end) - Date.parse(start)).toBe(48 * 3_600_000);
  });

  it('shows no fingerprint to public keys, which may only create', async () => {
    const key = await makeLimitedKey(vault, tenant, { type: 'public', permissions: ['token-intent:create'] });
    const created = await ask('POST', '/token-intents', { type: 'card', data: card }, key);
    expect(created.status).toBe(201);
    expect(created.body).not.toHaveProperty('fingerprint');
    expect((await ask('GET', `/token-intents/${idOf(created)}`, undefined, key)).status).toBe(403);
  });

  it('takes data that a client has encrypted', async () => {
    const encrypted = encryptForVault(JSON.stringify(card), await makeClientKey(vault, tenant));
    const created = await ask('POST', '/token-intents', { type: 'card', encrypted });
    expect(created).toMatchObject({ status: 201, body: { card: { last4: '4242' } } });
  });

  it.each([
    [{ type: 'card', data: { ...card, number: '4242424242424241' } }, 'data.number'],
    [{ type: 'nothing', data: 1 }, 'type'],
    [{ type: 'card' }, 'data'],
    [{ type: 'token', data: 1, encrypted: 'x' }, 'encrypted'],
  ])('400 refuses %j', async (body, field) => {
    const answer = await ask('POST', '/token-intents', body);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]]);
  });

  it('404 is as absent for other tenants, other applications without the right, and in upper case the same', async () => {
    const id = await make();
    const other = await vault.makeTenant();
    const foreign = await makeLimitedKey(vault, other, { permissions: ['token-intent:read', 'token-intent:delete'] });
    for (const method of ['GET', 'DELETE'])
      expect((await ask(method, `/token-intents/${id}`, undefined, foreign)).status).toBe(404);
    const elsewhere = await makeLimitedKey(vault, tenant, { rules: [ruleOn('/x/', 'mask', 'token-intent:read')] });
    expect((await ask('GET', `/token-intents/${id}`, undefined, elsewhere)).status).toBe(403);
    expect((await ask('GET', `/token-intents/${id.toUpperCase()}`)).status).toBe(200);
  });
});

describe('a token intent that becomes a token', () => {
  it('201 is gone afterwards, and its verification code with it', async () => {
    const id = await make();
    const created = await convert(id, { metadata: { order: '7' } });
    expect(created).toMatchObject({ status: 201, body: { type: 'card', metadata: { order: '7' } } });
    const reveal = tenant.keys.reveal;
    const { body, text } = await ask('GET', `/tokens/${idOf(created)}`, undefined, reveal);
    expect((body as { data: unknown }).data).toEqual(card);
    expect(text).not.toContain('"987"');
    const { rowCount } = await vault.database.owner.query('select from token_cvcs where tenant_id = $1', [tenant.id]);
    expect(rowCount).toBe(0);
    expect((await ask('GET', `/token-intents/${id}`)).status).toBe(404);
    expect(fieldsOf(await convert(id))).toEqual(['token_intent_id']);
    expect(await recorded()).toContain(`accept ${id} success`);
  });

  it('has one winner, and one token, in a race', async () => {
    const id = await make();
    const answers = await Promise.all(Array.from({ length: 8 }, () => convert(id)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      201,
      ...Array.from({ length: 7 }, () => 400),
    ]);
    const { rowCount } = await vault.database.owner.query('select from tokens where tenant_id = $1', [tenant.id]);
    expect(rowCount).toBe(1);
  });

  it('stays if the token cannot be created', async () => {
    const id = await make();
    await ask('POST', '/tokens', { id: 'taken', type: 'token', data: 'x' });
    expect((await convert(id, { id: 'taken' })).status).toBe(409);
    expect((await convert(id, { containers: ['nowhere'] })).status).toBe(400);
    expect(fieldsOf(await convert(id, { type: 'bank' }))).toEqual(['type']);
    expect(fieldsOf(await convert(id, { data: card }))).toEqual(['token_intent_id']);
    expect((await convert(id, { type: 'card', id: 'free' })).status).toBe(201);
  });

  it('is gone too if an existing token has its data', async () => {
    const existing = await ask('POST', '/tokens', { type: 'card', data: card });
    const id = await make();
    const answer = await convert(id, { deduplicate_token: true });
    expect([answer.status, idOf(answer)]).toEqual([200, idOf(existing)]);
    expect((await ask('GET', `/token-intents/${id}`)).status).toBe(404);
  });

  it('200 can be one of several in a document, but only once', async () => {
    const [one, other] = [await make(), await make()];
    const token = (id: string) => ({ type: 'card', token_intent_id: id });
    const twice = await ask('POST', '/tokenize', { a: token(one), b: token(one) });
    expect([twice.status, fieldsOf(twice)]).toEqual([400, ['b.token_intent_id']]);
    const both = await ask('POST', '/tokenize', { a: token(one), b: token(other) });
    expect(both).toMatchObject({ status: 200, body: { a: { card: { last4: '4242' } }, b: { type: 'card' } } });
  });

  it('200 answers a retry with the same token', async () => {
    const id = await make();
    const headers = { 'bt-idempotency-key': crypto.randomUUID() };
    const body = { token_intent_id: id };
    const first = await vault.request('POST', '/tokens', { key: creating, headers, body });
    const second = await vault.request('POST', '/tokens', { key: creating, headers, body });
    expect([first.status, second.status, idOf(second)]).toEqual([201, 201, idOf(first)]);
  });

  it('400 cannot be part of an update, and a misspelled name of it is refused', async () => {
    const { body } = await ask('POST', '/tokens', { type: 'token', data: 'x' });
    const answer = await vault.request('PATCH', `/tokens/${(body as { id: string }).id}`, {
      key: tenant.keys.private,
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { token_intent_id: await make() },
    });
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['token_intent_id']]);
    const misspelled = await ask('POST', '/tokenize', { a: { type: 'card', token_intend_id: await make() } });
    expect([misspelled.status, fieldsOf(misspelled)]).toEqual([400, ['a.token_intent_id']]);
  });
});

describe('a token intent in a proxied request', () => {
  it('is used with its verification code, and recorded', async () => {
    proxy.resolver.set('api.provider.example', ['127.0.0.1']);
    const id = await make();
    expect((await useOf(id)).status).toBe(200);
    expect(JSON.parse(proxy.destination.last.body.toString())).toEqual({
      number: card.number,
      all: { id, tenant_id: tenant.id, type: 'card', data: { ...card, cvc: '987' } },
    });
    expect(await recorded()).toContain(`read ${id} success`);
  });

  it('400 is unknown once it has become a token, has expired or belongs to others', async () => {
    const [converted, expired] = [await make(), await make()];
    await convert(converted);
    await expire(expired);
    const before = proxy.destination.seen.length;
    for (const id of [converted, expired, crypto.randomUUID(), 'nothing']) expect((await useOf(id)).status).toBe(400);
    expect(proxy.destination.seen.length).toBe(before);
  });

  it('403 needs token:use where tokens of its type would be, and detokenization refuses it', async () => {
    const id = await make();
    const key = await makeLimitedKey(vault, tenant, {
      rules: [ruleOn('/general/', 'reveal', 'token:use', 'token:read')],
    });
    const body = `{{ token_intent: ${id} }}`;
    expect((await proxy.call({ key, body, headers: { 'content-type': 'text/plain' } })).status).toBe(403);
    expect((await ask('POST', '/detokenize', { a: body }, tenant.keys.reveal)).status).toBe(400);
  });
});

describe('an expired token intent', () => {
  it('is invisible at once, and gone with the next sweep', async () => {
    const id = await make();
    await expire(id);
    expect((await ask('GET', `/token-intents/${id}`)).status).toBe(404);
    expect((await ask('DELETE', `/token-intents/${id}`)).status).toBe(404);
    expect(fieldsOf(await convert(id))).toEqual(['token_intent_id']);
    const tenantId = parseTenantId(tenant.id);
    const { database } = vault.server.core;
    expect(await database.forTenant(tenantId, (tx) => deleteExpiredIntents(tx, tenantId, 10))).toBe(1);
    const { rowCount } = await vault.database.owner.query('select from token_intents where id = $1', [id]);
    expect(rowCount).toBe(0);
    expect(await recorded()).toContain(`expire ${id} success`);
  });

  it('has lost its verification code long before', async () => {
    const id = await make();
    await vault.database.owner.query("update token_intents set created_at = now() - interval '61 min' where id = $1", [
      id,
    ]);
    expect((await useOf(id)).status).toBe(200);
    expect(proxy.destination.last.body.toString()).not.toContain('"987"');
    const tenantId = parseTenantId(tenant.id);
    const { database } = vault.server.core;
    expect(await database.forTenant(tenantId, (tx) => deleteExpiredIntentCodes(tx, tenantId, 10))).toBe(1);
    const { rows } = await vault.database.owner.query('select cvc from token_intents where id = $1', [id]);
    expect(rows).toEqual([{ cvc: null }]);
    expect(await recorded()).toContain(`property_expired ${id} success`);
  });
});

describe('rights over what others have captured', () => {
  it('403 are not gained by converting it where the key sees more', async () => {
    const id = await make();
    const key = await makeLimitedKey(vault, tenant, {
      rules: [ruleOn('/mine/', 'reveal', 'token:create', 'token:read')],
    });
    expect((await convert(id, { containers: ['/mine/'] }, key)).status).toBe(403);
    expect((await ask('GET', `/token-intents/${id}`)).status).toBe(200);
  });

  it('do not include its fingerprint, with which guesses of masked digits can be tested', async () => {
    const id = await make();
    const permissions = ['token-intent:create', 'token-intent:read', 'token:create'];
    const key = await makeLimitedKey(vault, tenant, { permissions });
    const seen = await ask('GET', `/token-intents/${id}`, undefined, key);
    expect(seen).toMatchObject({ status: 200, body: { card: { last4: '4242' } } });
    const encrypted = encryptForVault(JSON.stringify(card), await makeClientKey(vault, tenant));
    const passed = await ask('POST', '/token-intents', { type: 'card', encrypted }, key);
    for (const answer of [seen, passed]) expect(answer.body).not.toHaveProperty('fingerprint');
    const own = await ask('POST', '/token-intents', { type: 'card', data: card }, key);
    expect(own.body).toHaveProperty('fingerprint');
  });

  it('do not include defining a view of it, or seeing it in the response', async () => {
    const id = await make();
    const key = await makeLimitedKey(vault, tenant, { rules: [ruleOn('/', 'reveal', 'token:create')] });
    for (const view of [
      { mask: '{{ data.number }}' },
      { search_indexes: ['{{ data.number | slice: 0, 8 }}'] },
      { id: '{{ data.number | alias_preserve_format }}' },
    ])
      expect((await convert(id, view, key)).status).toBe(400);
    const answer = await convert(id, {}, key);
    expect(answer.status).toBe(201);
    expect(answer.text).not.toContain(card.number);
  });

  it('are none for the row of a token with the ciphertext of an intent', async () => {
    const id = await make();
    await ask('POST', '/tokens', { id, type: 'card', data: { ...card, number: '5555555555554444' } });
    await vault.database.owner.query(
      'update tokens set data = (select data from token_intents where token_intents.id::text = tokens.id) where id = $1',
      [id],
    );
    const answer = await ask('GET', `/tokens/${id}`, undefined, tenant.keys.reveal);
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain(card.number);
  });
});
