import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeLimitedKey, ruleOn } from '../harness/limited-key.ts';
import { fieldsOf } from '../harness/test-application.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/*
 * Previously, members that the vault does not support were ignored, so the stored data differed from what the caller
 * intended.
 */
let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const post = (path: string, body: unknown) => vault.request('POST', path, { key: tenant.keys.private, body });
const patch = (id: string, body: unknown) =>
  vault.request('PATCH', `/tokens/${id}`, {
    key: tenant.keys.private,
    body,
    headers: { 'content-type': 'application/merge-patch+json' },
  });
describe('the type in an update', () => {
  it('400 cannot be another one, and changes nothing', async () => {
    const { body } = await post('/tokens', { type: 'token', data: '4242424242424242' });
    const { id } = body as { id: string };
    const answer = await patch(id, { type: 'card_number', metadata: { changed: 'yes' } });
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['type']]);
    const { body: stored } = await vault.request('GET', `/tokens/${id}`, { key: tenant.keys.private });
    expect(stored).toMatchObject({ type: 'token' });
    expect(stored).not.toHaveProperty('metadata');
  });

  it.each(['token', null])('200 may be %j', async (type) => {
    const { body } = await post('/tokens', { type: 'token', data: 'value' });
    expect((await patch((body as { id: string }).id, { type, metadata: { changed: 'yes' } })).status).toBe(200);
  });
});

describe('a redacted view', () => {
  it.each<[string, object]>([
    ['a card', { type: 'card', data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 } }],
    ['a bank account', { type: 'bank', data: { routing_number: '110000000', account_number: '000123456789' } }],
    ['a card number', { type: 'card_number', data: '4242424242424242' }],
    ['a social security number', { type: 'social_security_number', data: '123-45-6789' }],
  ])('of %s shows no digit of it, by any way to read', async (_name, token) => {
    const { body } = await post('/tokens', token);
    const { id } = body as { id: string };
    const permissions = ['token:read', 'token:search', 'token:update'];
    const key = await makeLimitedKey(vault, tenant, { rules: [ruleOn('/', 'redact', ...permissions)] });
    const headers = { 'content-type': 'application/merge-patch+json' };
    const answers = [
      await vault.request('GET', `/tokens/${id}`, { key }),
      await vault.request('GET', `/tokens?id=${id}`, { key }),
      await vault.request('GET', `/v2/tokens?id=${id}`, { key }),
      await vault.request('POST', '/tokens/search', { key, body: { query: `id:${id}` } }),
      await vault.request('PATCH', `/tokens/${id}`, { key, headers, body: { metadata: { seen: 'no' } } }),
    ];
    for (const { status, body: shown } of answers) {
      expect(status).toBe(200);
      const tokens =
        'data' in (shown as object) && Array.isArray((shown as { data: unknown }).data)
          ? (shown as { data: object[] }).data
          : [shown as object];
      expect(tokens).toHaveLength(1);
      for (const one of tokens) {
        for (const member of ['data', 'card', 'bank', 'fingerprint']) expect(one).not.toHaveProperty(member);
        const { id: _id, ...rest } = one as Record<string, unknown>;
        expect(JSON.stringify(rest['mask'] ?? '')).not.toMatch(/4242|2030|"expiration_month":12|6789|1100/);
      }
    }
  });
});
