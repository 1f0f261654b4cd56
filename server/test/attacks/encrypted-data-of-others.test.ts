import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encryptForVault, type PublishedKey } from '../harness/client-encryption.ts';
import { makeClientKey } from '../harness/make-client-key.ts';
import { makeLimitedKey, ruleOn } from '../harness/limited-key.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/*
 * A server that passes on what a browser has encrypted does not know the data. With a mask of its own, an index, an id
 * expression or a rule that reveals what it creates, it could find out.
 */
let vault: TestVault;
let tenant: TestTenant;
let key: PublishedKey;
let creator: string;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  key = await makeClientKey(vault, tenant);
  // Before, the transform of token:create only ever showed a caller what it had sent itself.
  creator = await makeLimitedKey(vault, tenant, { rules: [ruleOn('/', 'reveal', 'token:create')] });
});
afterAll(() => vault.stop());

const number = '4242424242424242';
const encrypted = () => encryptForVault(JSON.stringify({ number, cvc: '987' }), key);
const create = (attributes: object, by = creator, path = '/tokens') =>
  vault.request('POST', path, { key: by, body: { type: 'card', encrypted: encrypted(), ...attributes } });

describe('a caller that may create tokens but not see them', () => {
  it('gets masked data back, also from tokenize and when it repeats the request', async () => {
    const headers = { 'bt-idempotency-key': crypto.randomUUID() };
    const body = { type: 'card', encrypted: encrypted() };
    const answers = [
      await create({}),
      await create({}, creator, '/tokenize'),
      await vault.request('POST', '/tokens', { key: creator, body, headers }),
      await vault.request('POST', '/tokens', { key: creator, body, headers }),
    ];
    for (const { status, text } of answers) {
      expect(status).toBeLessThan(300);
      expect(text).not.toContain(number);
      expect(text).not.toContain('987');
    }
    const records = await vault.auditRecords(tenant.id);
    const created = records.filter((record) => record['entity_type'] === 'card');
    expect(new Set(created.map(({ transform }) => transform))).toEqual(new Set(['mask']));
  });

  it.each([
    { mask: '{{ data.number }}' },
    { mask: { n: '{{ data.number | slice: 0, 9 }}' } },
    { mask: '{{ data.number | reveal_last: 12 }}' },
    { search_indexes: ['{{ data.number | slice: 0, 9 }}'] },
    { fingerprint_expression: '{{ data.number | slice: 0, 4 }}' },
    { id: "{{ data.number | alias_card: 'true', 'true' }}" },
  ])('400 cannot set %j', async (attributes) => {
    expect((await create(attributes)).status).toBe(400);
    expect((await create(attributes, creator, '/tokenize')).status).toBe(400);
  });

  it.each([
    { mask: '{{ data.number | reveal_last: 4 }}' },
    { search_indexes: ['{{ data.number }}'] },
    { fingerprint_expression: '{{ data.number }}' },
    { id: `order-${crypto.randomUUID()}` },
  ])('201 can set %j', async (attributes) => {
    expect((await create(attributes)).status).toBe(201);
  });

  it('does not learn whether the data is that of a token that it has made from a guess', async () => {
    const guess = await vault.request('POST', '/tokens', { key: creator, body: { type: 'card', data: { number } } });
    const { fingerprint } = guess.body as { fingerprint: string };
    expect(fingerprint).toMatch(/^.{20,}$/);
    const headers = { 'bt-idempotency-key': crypto.randomUUID() };
    const body = { type: 'card', encrypted: encrypted() };
    const repeat = () => vault.request('POST', '/tokens', { key: creator, body, headers });
    for (const { status, text } of [
      await create({}),
      await create({}, creator, '/tokenize'),
      await repeat(),
      await repeat(),
    ]) {
      expect(status).toBeLessThan(300);
      expect(text).not.toContain('"fingerprint":');
      expect(text).not.toContain(fingerprint);
    }
    for (const path of ['/tokens', '/tokenize'])
      expect(await create({ deduplicate_token: true }, creator, path)).toMatchObject({ status: 403 });
  });

  it('gets another token in a tenant that stores each content once, although there is one with the data', async () => {
    const key = tenant.keys.management;
    const settle = (value: string) =>
      vault.request('PUT', '/tenants/self', { key, body: { name: 'Tenant', settings: { deduplicate_tokens: value } } });
    expect((await settle('true')).status).toBe(200);
    const stored = await vault.request('POST', '/tokens', {
      key: tenant.keys.reveal,
      body: { type: 'card', data: { number } },
    });
    const { id } = stored.body as { id: string };
    expect((await create({})).text).not.toContain(id);
    expect((await create({}, tenant.keys.reveal)).text).toContain(id);
    expect((await settle('false')).status).toBe(200);
  });

  it('is not stored as the author of a view', async () => {
    const { body } = await create({ mask: '{{ data.number | reveal_last: 4 }}' });
    const { rows } = await vault.database.owner.query<{ views: unknown }>('select views from tokens where id = $1', [
      (body as { id: string }).id,
    ]);
    expect(rows[0]?.views).toEqual({ version: 1 });
  });
});

it('a caller that reads plaintext can set any view', async () => {
  expect((await create({ mask: '{{ data.number }}' }, tenant.keys.reveal)).status).toBe(201);
});
