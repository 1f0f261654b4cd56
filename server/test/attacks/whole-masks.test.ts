import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ruleOn } from '../harness/limited-key.ts';
import { createApplication, recordsOf, type TestApplication } from '../harness/test-application.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';
import { TokenEndpoints } from '../harness/token-endpoints.ts';

/**
 * A mask can show all of the data. Previously, callers who saw a token through such a mask were recorded and counted as
 * if they had only seen part of it.
 */
let vault: TestVault;
let tenant: TestTenant;
let owner: TokenEndpoints;
let reader: TestApplication;
const number = '4012888888881881';
const card = { number, expiration_month: 12, expiration_year: 2030 };

beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  owner = new TokenEndpoints(vault, tenant.keys.reveal);
  const permissions = ['token:create', 'token:read', 'token:search', 'token:update'];
  reader = await createApplication(vault, tenant, {
    permissions: [],
    rules: [{ priority: 1, ...ruleOn('/', 'mask', ...permissions) }],
  });
});
afterAll(() => vault.stop());

const as = (more: object = {}) => ({ key: reader.key, ...more });
async function lastSeen(id: string): Promise<unknown> {
  const records = await recordsOf(vault, tenant, id);
  return records.filter(({ key_id: key }) => key === reader.keyId).at(-1)?.['transform'];
}

const wholes: [string, Readonly<Record<string, unknown>>][] = [
  ['the data itself', { data: 'a secret', mask: '{{ data }}' }],
  ['the data as a member', { data: 'a secret', mask: { copy: ['{{ data }}'] } }],
  ['every member', { data: { a: 'one', b: 2 }, mask: { x: '{{ data.a }}', y: '{{ data.b }}' } }],
  ['JSON text', { data: { a: 'one', b: [2, 'three'] }, mask: '{{ data | stringify }}' }],
  ['two halves', { data: number, mask: '{{ data | slice: 0, 8 }} - {{ data | slice: 8, 8 }}' }],
  ['the last sixteen of sixteen digits', { data: number, mask: '{{ data | reveal_last: 16 }}' }],
  ['the number of a card', { type: 'card', data: card, mask: { n: '{{ data.number }}' } }],
  [
    'the account of a bank',
    {
      type: 'bank',
      data: { routing_number: '021000021', account_number: '00001234567' },
      mask: '{{ data.account_number }}',
    },
  ],
  ['the digits between the details of a card', { type: 'card', data: card, mask: ['{{ data.number | slice: 8, 4 }}'] }],
  [
    'all but one of the digits between the details of a card',
    { type: 'card', data: card, mask: { a: '{{ data.number | slice: 8, 1 }}', b: '{{ data.number | slice: 10, 2 }}' } },
  ],
  [
    'the first digits of an account, whose last ones are a detail',
    {
      type: 'bank',
      data: { routing_number: '021000021', account_number: '00001234567' },
      mask: '{{ data.account_number | slice: 0, 7 }}',
    },
  ],
  ['two halves in the wrong order', { data: number, mask: ['{{ data | slice: 8, 8 }}', '{{ data | slice: 0, 8 }}'] }],
];
const parts: [string, Readonly<Record<string, unknown>>][] = [
  ['the end of a number', { data: number, mask: '{{ data | reveal_last: 4 }}' }],
  ['one of two members', { data: { a: 'one', b: 'two' }, mask: { a: '{{ data.a }}' } }],
  ['a card under the mask of its type', { type: 'card', data: card }],
  [
    'the ends of a card whose digits repeat',
    {
      type: 'card',
      data: { ...card, number: '4242424242424242' },
      mask: ['{{ data.number | slice: 0, 6 }}', '{{ data.number | reveal_last: 4 }}', '{{ data.expiration_year }}'],
    },
  ],
  [
    'a hash of the number of a card',
    { type: 'card', data: card, mask: { a: `{{ data.number | hmac: 'sha-256', 'a key' | to_base16 }}` } },
  ],
  ['a text of its own', { data: 'a secret', mask: 'hidden' }],
];

/** Every way to see an existing token. */
const ways: [string, (id: string) => Promise<unknown>][] = [
  ['getting it', (id) => owner.get(id, as())],
  ['listing tokens', (id) => vault.request('GET', `/tokens?id=${id}`, as())],
  ['listing by cursor', (id) => vault.request('GET', `/v2/tokens?id=${id}`, as())],
  ['searching', (id) => vault.request('POST', '/tokens/search', as({ body: { query: `id:${id}` } }))],
  ['changing its metadata', (id) => owner.patch(id, { metadata: { a: 'b' } }, as())],
];

describe.each(wholes)('a mask that shows %s', (_name, token) => {
  it.each(ways)('is on record as revealed, by %s', async (_way, see) => {
    const { id } = await owner.make(token);
    await see(id);
    expect(await lastSeen(id)).toBe('reveal');
  });

  it('is on record as revealed for whoever creates it', async () => {
    const { id } = await owner.make(token, as());
    expect(await lastSeen(id)).toBe('reveal');
  });

  it('is counted as revealed', async () => {
    const { id } = await owner.make(token);
    await owner.get(id, as());
    const path = `/logs/viewers?token_id=${id}`;
    const answer = await vault.request('GET', path, { key: tenant.keys.management });
    expect(answer.status, answer.text).toBe(200);
    const { viewers } = answer.body as { viewers: { key_id?: string; transform: string }[] };
    expect(viewers.filter(({ key_id: key }) => key === reader.keyId)).toMatchObject([{ transform: 'reveal' }]);
  });
});

describe.each(parts)('a mask that shows %s', (_name, token) => {
  it.each(ways)('is on record as masked, by %s', async (_way, see) => {
    const { id } = await owner.make(token);
    await see(id);
    expect(await lastSeen(id)).toBe('mask');
  });
});

describe('whether a mask shows everything', () => {
  it('is found out again when the data changes', async () => {
    const { id } = await owner.make({ data: number, mask: '{{ data | reveal_last: 4 }}' });
    expect((await owner.patch(id, { data: '4711' })).status).toBe(200);
    await owner.get(id, as());
    expect(await lastSeen(id)).toBe('reveal');
  });

  it('is known of the plainest mask that an earlier version has stored', async () => {
    const { id } = await owner.make({ data: number, mask: '{{ data }}' });
    await vault.database.owner.query('update tokens set views = null where id = $1', [id]);
    await owner.get(id, as());
    expect(await lastSeen(id)).toBe('reveal');
  });
});
