import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApplication } from '../harness/test-application.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/**
 * A masked view must not show a whole value because it is short, and must not invent members that the data lacks. A
 * supplied mask is applied as its author wrote it. In such a mask, `reveal_last` shows short values in full.
 */
let vault: TestVault;
let tenant: TestTenant;
let detokenizer: string;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  detokenizer = (await createApplication(vault, tenant, { permissions: ['token:read', 'token:search'] })).key;
});
afterAll(() => vault.stop());

interface View {
  readonly id: string;
  readonly data?: unknown;
  readonly mask?: unknown;
  readonly bank?: { readonly account_number_last4: string };
  readonly card?: Record<string, unknown>;
}
const create = async (body: object, key = tenant.keys.private) => {
  const answer = await vault.request('POST', '/tokens', { key, body });
  expect(answer.status).toBe(201);
  return answer.body as View;
};
const account = (number: string) => ({
  type: 'bank',
  data: { routing_number: '021000021', account_number: number },
  metadata: { run: number },
});

/** Returns everything that a masked caller can see of a token, through every route that shows one. */
async function maskedViews(id: string): Promise<unknown[]> {
  const ask = (method: string, path: string, body?: object, key = tenant.keys.private) =>
    vault.request(method, path, {
      key,
      ...(body === undefined ? {} : { body }),
      ...(method === 'PATCH' ? { headers: { 'content-type': 'application/merge-patch+json' } } : {}),
    });
  const answers = [
    await ask('GET', `/tokens/${id}`),
    await ask('GET', `/tokens?id=${id}`),
    await ask('GET', `/v2/tokens?id=${id}`),
    await ask('POST', '/tokens/search', { query: `id:${id}` }),
    await ask('POST', '/detokenize', { data: `{{ ${id} }}`, whole: `{{ token: ${id} }}` }, detokenizer),
    await ask('PATCH', `/tokens/${id}`, { metadata: { touched: 'yes' } }),
  ];
  for (const { status } of answers) expect(status).toBe(200);
  return answers.map(({ body }) => body);
}

describe('an account number that is not longer than what its mask reveals', () => {
  it.each(['7', '73', '731', '7318'])('is hidden whole in a bank token: %s', async (number) => {
    const created = await create(account(number));
    const hidden = 'X'.repeat(number.length);
    expect(created.data).toEqual({ routing_number: '021000021', account_number: hidden });
    expect(created.bank).toEqual({ routing_number: '021000021', account_number_last4: hidden });
    for (const view of await maskedViews(created.id)) {
      expect(JSON.stringify(view)).toContain(`"account_number":"${hidden}"`);
      expect(JSON.stringify(view)).not.toContain(`"account_number":"${number}"`);
      expect(JSON.stringify(view)).not.toContain(`"account_number_last4":"${number}"`);
    }
  });

  it.each(['731', '7318'])('is hidden whole in an account number token: %s', async (number) => {
    const created = await create({ type: 'us_bank_account_number', data: number });
    const hidden = 'X'.repeat(number.length);
    expect(created.data).toBe(hidden);
    for (const view of await maskedViews(created.id)) {
      expect(JSON.stringify(view)).toContain(`"data":"${hidden}"`);
      expect(JSON.stringify(view)).not.toContain(`"${number}"`);
    }
  });

  it('is hidden in tokenize, and when a PATCH makes a long one short', async () => {
    const tokenized = await vault.request('POST', '/tokenize', { key: tenant.keys.private, body: [account('7318')] });
    expect(tokenized.text).not.toContain('"account_number":"7318"');
    expect(tokenized.text).not.toContain('"account_number_last4":"7318"');
    const { id } = await create(account('123456789'));
    const patched = await vault.request('PATCH', `/tokens/${id}`, {
      key: tenant.keys.private,
      body: { data: { account_number: '9150' } },
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    expect(patched.body).toMatchObject({
      data: { account_number: 'XXXX' },
      bank: { account_number_last4: 'XXXX' },
    });
  });

  it('still echoes the expression, and is revealed to who may see plaintext', async () => {
    const { id, mask } = await create(account('7318'));
    expect(mask).toEqual({
      routing_number: '{{ data.routing_number }}',
      account_number: '{{ data.account_number | reveal_last: 4 }}',
    });
    const revealed = await vault.request('GET', `/tokens/${id}`, { key: tenant.keys.reveal });
    expect(revealed.body).toMatchObject({ data: { account_number: '7318' } });
  });

  it.each([
    ['73185', 'X3185', '3185'],
    ['123456789', 'XXXXX6789', '6789'],
  ])('and a longer one shows its last four: %s', async (number, masked, last4) => {
    expect(await create(account(number))).toMatchObject({
      data: { account_number: masked },
      bank: { account_number_last4: last4 },
    });
  });

  it('and a mask that somebody wrote does what it says', async () => {
    const view = await create({ ...account('7318'), mask: '{{ data.account_number | reveal_last: 4 }}' });
    expect(view.data).toBe('7318');
  });
});

describe('a card without expiry', () => {
  const number = '4242424242424242';
  it.each([
    ['neither', { number }, {}],
    ['null for both', { number, expiration_month: null, expiration_year: null }, {}],
    ['only the month', { number, expiration_month: 7 }, { expiration_month: 7 }],
    ['only the year', { number, expiration_year: 2031 }, { expiration_year: 2031 }],
    ['both', { number, expiration_month: 7, expiration_year: 2031 }, { expiration_month: 7, expiration_year: 2031 }],
  ])('shows no member that it does not have: %s', async (_name, data, expiry) => {
    const expected = { number: 'XXXXXXXXXXXX4242', ...expiry };
    const created = await create({ type: 'card', data });
    expect(created.data).toStrictEqual(expected);
    expect(created.mask).toStrictEqual(expected);
    expect(created.card).toStrictEqual({ bin: '42424242', last4: '4242', brand: 'visa', ...expiry });
    for (const view of await maskedViews(created.id)) expect(JSON.stringify(view)).not.toContain('null');
  });
});
