import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encryptForVault, type PublishedKey } from '../harness/client-encryption.ts';
import { makeClientKey } from '../harness/make-client-key.ts';
import { makeLimitedKey, ruleOn } from '../harness/limited-key.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/*
 * A caller that stores data it may not know can send any expression over it. The expressions were evaluated before they
 * were refused. A filter that fails for some values then told one digit after the other, and nothing was stored.
 */
let vault: TestVault;
let tenant: TestTenant;
let key: PublishedKey;
let creator: string;
let collector: string;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  key = await makeClientKey(vault, tenant);
  creator = await makeLimitedKey(vault, tenant, { rules: [ruleOn('/', 'mask', 'token:create')] });
  collector = await makeLimitedKey(vault, tenant, { type: 'public', permissions: ['token-intent:create'] });
});
afterAll(() => vault.stop());

const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 };
const digits = [...'0123456789'];

async function makeIntent(): Promise<string> {
  const permissions = ['token-intent:create'];
  const { body } = await vault.request('POST', '/token-intents', {
    key: await makeLimitedKey(vault, tenant, { permissions }),
    body: { type: 'card', data: card },
  });
  return (body as { id: string }).id;
}

const references: Record<string, () => Promise<object>> = {
  'data that a client has encrypted': async () => ({ encrypted: encryptForVault(JSON.stringify(card), key) }),
  'a token intent': async () => ({ token_intent_id: await makeIntent() }),
};
const probes: Record<string, (digit: string) => object> = {
  'a mask': (digit) => ({ mask: `{{ data.number | slice: 1, 1 | remove: '${digit}' | to_number }}` }),
  'a mask in an object': (digit) => ({
    mask: { a: `{{ data.number | slice: 1, 1 | replace: '${digit}', 'true' | to_boolean }}` },
  }),
  'an id': (digit) => ({ id: `{{ data.number | slice: 1, 1 | remove: '${digit}' | alias_preserve_length }}-id` }),
  'a search index': (digit) => ({ search_indexes: [`{{ data.number | slice: 1, 1 | remove: '${digit}' }}`] }),
  'a fingerprint': (digit) => ({
    fingerprint_expression: `{{ data.number | slice: 1, 1 | remove: '${digit}' | to_number }}`,
  }),
};

describe.each(Object.entries(references))('%s', (_name, refer) => {
  it.each(Object.entries(probes))('reads the same whatever the data is: %s', async (_probe, attributes) => {
    const reference = await refer();
    for (const path of ['/tokens', '/tokenize']) {
      const answers = await Promise.all(
        digits.map((digit) =>
          vault.request('POST', path, { key: creator, body: { type: 'card', ...reference, ...attributes(digit) } }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(digits.map(() => 400));
      expect(new Set(answers.map(({ body }) => JSON.stringify((body as { errors: unknown }).errors))).size).toBe(1);
    }
  });
});

describe('a new token intent', () => {
  it.each(Object.entries(probes))('is stored whatever else is sent: %s', async (_probe, attributes) => {
    const encrypted = encryptForVault(JSON.stringify(card), key);
    const answers = await Promise.all(
      digits.map((digit) =>
        vault.request('POST', '/token-intents', {
          key: collector,
          body: { type: 'card', encrypted, ...attributes(digit) },
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(digits.map(() => 201));
  });
});
