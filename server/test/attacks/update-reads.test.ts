import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LimitedRule, makeLimitedKey, makeSessionKey, ruleOn } from '../harness/limited-key.ts';
import { recordsOf } from '../harness/test-application.ts';
import { type TestResponse, type TestTenant, TestVault } from '../harness/test-vault.ts';
import { TokenEndpoints, tokenOf } from '../harness/token-endpoints.ts';

let vault: TestVault;
let tenant: TestTenant;
let owner: TokenEndpoints;
const callers = new Map<string, TokenEndpoints>();
const number = '4012888888881881';
const card = { type: 'card', data: { number, expiration_month: 12, expiration_year: 2030 } };

beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  owner = new TokenEndpoints(vault, tenant.keys.reveal);
  const update = ['token:update'];
  const masking = [ruleOn('/', 'mask', 'token:update')];
  const redacting = [ruleOn('/', 'redact', 'token:update')];
  const revealing = [ruleOn('/', 'reveal', 'token:update')];
  const here = (transform: string): LimitedRule[] => [
    {
      conditions: [{ attribute: 'container', operator: 'starts_with', value: '/pci/' }],
      transform,
      permissions: update,
    },
  ];
  const plain = { permissions: update };
  const keys: Record<string, Promise<string>> = {
    'a public key': makeLimitedKey(vault, tenant, { type: 'public', permissions: update }),
    'a public key with a masking rule': makeLimitedKey(vault, tenant, { type: 'public', rules: masking }),
    'a public key with a redacting rule': makeLimitedKey(vault, tenant, { type: 'public', rules: redacting }),
    'a session with a plain permission': makeSessionKey(vault, tenant, plain, { has: plain }),
    'a session that masks': makeSessionKey(vault, tenant, { rules: here('mask') }, { has: { rules: revealing } }),
    'a session that redacts': makeSessionKey(vault, tenant, { rules: here('redact') }, { has: { rules: revealing } }),
    'a session that reveals, of an authorizer that now masks': makeSessionKey(
      vault,
      tenant,
      { rules: here('reveal') },
      { has: { rules: revealing }, isLeftWith: { rules: masking } },
    ),
    'a session that reveals, of an authorizer that now has the plain permission': makeSessionKey(
      vault,
      tenant,
      { rules: here('reveal') },
      { has: { rules: revealing }, isLeftWith: plain },
    ),
    'a private key with a masking rule': makeLimitedKey(vault, tenant, { rules: masking }),
    'a private key with a redacting rule before the plain permission': makeLimitedKey(vault, tenant, {
      permissions: ['token:update', 'token:read'],
      rules: [ruleOn('/pci/', 'redact', 'token:update')],
    }),
    'a private key that updates masked and uses plaintext': makeLimitedKey(vault, tenant, {
      permissions: ['token:use'],
      rules: masking,
    }),
  };
  for (const [name, key] of Object.entries(keys)) callers.set(name, new TokenEndpoints(vault, await key));
});
afterAll(() => vault.stop());

const callerNames = [
  'a public key',
  'a public key with a masking rule',
  'a public key with a redacting rule',
  'a session with a plain permission',
  'a session that masks',
  'a session that redacts',
  'a session that reveals, of an authorizer that now masks',
  'a session that reveals, of an authorizer that now has the plain permission',
  'a private key with a masking rule',
  'a private key with a redacting rule before the plain permission',
  'a private key that updates masked and uses plaintext',
];
const callerOf = (name: string): TokenEndpoints => callers.get(name) ?? new TokenEndpoints(vault, '');

/**
 * Checks that the request was refused, that it revealed no part of the number, and that the token looks unchanged to
 * others.
 */
async function expectRefused(answer: TestResponse, id: string, before: TestResponse): Promise<void> {
  expect(answer.status).toBe(403);
  expect((answer.body as { detail: string }).detail).toContain('with the transform reveal on container /pci/high/');
  expect(answer.text).not.toContain(number.slice(0, 8));
  expect((await owner.get(id)).text).toBe(before.text);
}

describe.each(callerNames)('%s', (name) => {
  it.each<[string, object]>([
    ['a mask of everything', { mask: '{{ data }}' }],
    ['a mask of a member', { mask: { n: '{{ data.number }}' } }],
    ['a mask merged into the default', { mask: { number: '{{ data.number }}' } }],
    ['a mask that looks like one', { mask: { number: '{{ data.number | reveal_last: 16 }}' } }],
    ['a search index', { search_indexes: ['{{ data.number }}'] }],
    ['the search indexes of the type', { search_indexes: null }],
    ['a fingerprint of a part', { fingerprint_expression: '{{ data.number | slice: 0, 6 }}' }],
    ['the fingerprint of the type', { fingerprint_expression: null }],
    ['a mask beside a part of the data', { data: { expiration_month: 1 }, mask: '{{ data }}' }],
    ['a mask beside no data at all', { data: {}, mask: '{{ data }}' }],
    [
      'a mask beside members that are removed',
      { data: { expiration_month: null, expiration_year: null }, mask: '{{ data }}' },
    ],
    ['a mask beside a code', { data: { cvc: '123' }, mask: '{{ data }}' }],
    [
      'a search index beside a part of the data',
      { data: { expiration_year: 2031 }, search_indexes: ['{{ data.number }}'] },
    ],
    ['a mask that fails for some numbers', { mask: "{{ data.number | slice: 0, 1 | remove: '4' | to_number }}" }],
    ['a mask for one other container', { mask: '{{ data }}', containers: ['/pci/high/', '/pci/low/'] }],
  ])('cannot set %s over a card', async (_name, patch) => {
    const { id } = await owner.make(card);
    const before = await owner.get(id);
    await expectRefused(await callerOf(name).patch(id, patch), id, before);
  });

  it('cannot take a card back to the mask of its type, which shows more than its own', async () => {
    const { id } = await owner.make({ ...card, mask: 'hidden' });
    const before = await owner.get(id);
    await expectRefused(await callerOf(name).patch(id, { mask: null }), id, before);
  });

  it.each<[string, object, object]>([
    [
      'moving a window of the mask over what it hid',
      { mask: '{{ data | stringify | slice: 0, 24 }}' },
      { data: { pad: '' } },
    ],
    [
      'cutting off what the mask ends with',
      { mask: '{{ data | stringify | reveal_last: 6 }}' },
      { data: { tail: null } },
    ],
    [
      'replacing the secret part of a search index',
      { search_indexes: ['{{ data.pin }}:{{ data.tail }}'] },
      { data: { tail: 'known' } },
    ],
    [
      'replacing the secret part of a fingerprint',
      { fingerprint_expression: '{{ data.pin }}:{{ data.tail }}' },
      { data: { tail: 'known' } },
    ],
  ])('cannot read a stored member by %s', async (_name, views, patch) => {
    const data = { pad: 'long enough to fill the window', pin: '4711', tail: crypto.randomUUID() };
    const { id } = await owner.make({ data, containers: ['/pci/high/'], ...views });
    const before = await owner.get(id);
    await expectRefused(await callerOf(name).patch(id, patch), id, before);
  });

  it.each<[string, object]>([
    ['metadata', { metadata: { a: 'b' } }],
    ['a part of the data under views of single members', { data: { expiration_year: 2031 } }],
    [
      'all of the data with a mask of its own',
      { data: { ...card.data, number: '4242424242424242' }, mask: '{{ data.number | last4 }}' },
    ],
  ])('can still change %s', async (_name, patch) => {
    const { id } = await owner.make(card);
    expect((await callerOf(name).patch(id, patch)).status).toBe(200);
  });
});

describe('whether an expression fails', () => {
  it.each([
    'a public key',
    'a public key with a redacting rule',
    'a session that redacts',
    'a private key with a redacting rule before the plain permission',
  ])('gives %s no digit, by 160 search indexes that yield nothing for one digit each', async (name) => {
    const { id } = await owner.make(card);
    const caller = callerOf(name);
    const statuses = new Set<number>();
    let digits = '';
    for (let at = 0; at < number.length; at += 1) {
      for (let digit = 0; digit <= 9; digit += 1) {
        const index = `{{ data.number | slice: ${at}, 1 | remove: '${digit}' }}`;
        const { status } = await caller.patch(id, { search_indexes: [index] });
        statuses.add(status);
        if (status === 400) digits += digit;
      }
    }
    expect([digits, [...statuses]]).toEqual(['', [403]]);
  });
});

describe('a caller that may see the plaintext', () => {
  it.each<[string, () => Promise<string>]>([
    [
      'a plain token:update of a private application',
      () => makeLimitedKey(vault, tenant, { permissions: ['token:update'] }),
    ],
    [
      'a rule that reveals to token:update',
      () => makeLimitedKey(vault, tenant, { rules: [ruleOn('/pci/', 'reveal', 'token:update')] }),
    ],
    [
      'a rule that reveals to token:read',
      () =>
        makeLimitedKey(vault, tenant, {
          rules: [ruleOn('/', 'redact', 'token:update'), ruleOn('/pci/', 'reveal', 'token:read')],
        }),
    ],
    [
      'a session that reveals within an authorizer that does',
      () => {
        const rules = [ruleOn('/', 'reveal', 'token:update')];
        return makeSessionKey(vault, tenant, { rules }, { has: { rules } });
      },
    ],
  ])('sets a mask by %s, and the log counts it as a read', async (_name, makeKey) => {
    const { id } = await owner.make(card);
    const answer = await owner.patch(id, { mask: '{{ data.number | slice: 0, 6 }}' }, { key: await makeKey() });
    expect(answer.status).toBe(200);
    const records = await recordsOf(vault, tenant, id);
    const update = records.find(({ operation }) => operation === 'update');
    expect(
      records.filter((one) => one['request_id'] === update?.['request_id']).map((one) => one['operation']),
    ).toEqual(expect.arrayContaining(['update', 'read']));
  });

  it('leaves no read behind where nothing could be read', async () => {
    const { id } = await owner.make(card);
    await owner.patch(id, { metadata: { a: 'b' } }, { key: tenant.keys.private });
    await owner.patch(id, { data: card.data, mask: 'x' }, { key: tenant.keys.private });
    const operations = (await recordsOf(vault, tenant, id)).map((one) => one['operation']);
    expect(operations).toEqual(['create', 'update', 'update']);
  });

  it.each<[string, object, boolean | undefined]>([
    ['a plain token:update of a private application', { type: 'private', permissions: ['token:update'] }, true],
    ['a plain token:update of a public application', { type: 'public', permissions: ['token:update'] }, false],
    ['a masking rule', { type: 'private', rules: [ruleOn('/', 'mask', 'token:update')] }, false],
  ])('is told by explain: %s', async (_name, rights, isAuthor) => {
    const {
      type,
      permissions = [],
      rules = [],
    } = rights as {
      type: string;
      permissions?: string[];
      rules?: LimitedRule[];
    };
    const { management } = tenant.keys;
    const body = { name: 'x', type, permissions, rules: rules.map((rule) => ({ priority: 1, ...rule })) };
    const made = await vault.request('POST', '/applications', { key: management, body });
    const question = {
      application_id: (made.body as { id: string }).id,
      container: '/pci/',
      permission: 'token:update',
    };
    const answer = await vault.request('POST', '/access/explain', { key: management, body: question });
    expect(answer.body).toMatchObject({
      decisions: [
        { authors_views: isAuthor, transform: 'mask', sees: { data: isAuthor === true ? 'plaintext' : 'masked' } },
      ],
    });
  });

  it('a masked reader gets no more than before from a token that others tried to open', async () => {
    const { id } = await owner.make(card);
    for (const name of callerNames) await callerOf(name).patch(id, { mask: '{{ data }}' });
    const seen = await owner.get(id, { key: tenant.keys.private });
    expect(tokenOf(seen).data).toMatchObject({ number: 'XXXXXXXXXXXX1881' });
  });
});
