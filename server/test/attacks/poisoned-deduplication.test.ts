import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApplication } from '../harness/test-application.ts';
import { type TestResponse, type TestTenant, TestVault } from '../harness/test-vault.ts';
import { makeCardNumber } from '../harness/card-number.ts';

/**
 * A caller that may create tokens may choose how they are fingerprinted. A token created with a public key must not
 * pass for a value that it does not contain. Data that others write must not end up in a token that was planted to
 * receive it.
 */
let vault: TestVault;
let tenant: TestTenant;
let attacker: string;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  attacker = await publicKeyOf(tenant);
});
afterAll(() => vault.stop());

const publicKeyOf = async (of: TestTenant) =>
  (await createApplication(vault, of, { type: 'public', permissions: ['token:create', 'token:update'] })).key;
/** A body, and headers in addition to the usual ones. */
type Extras = readonly [body?: unknown, headers?: Readonly<Record<string, string>>];
const call = (key: string, method: string, path: string, ...[body, headers = {}]: Extras) =>
  vault.request(method, path, { key, headers, ...(body === undefined ? {} : { body }) });
const create = (key: string, body: object) => call(key, 'POST', '/tokens', { type: 'token', ...body });
const patch = (key: string, id: string, body: object) =>
  call(key, 'PATCH', `/tokens/${id}`, body, { 'content-type': 'application/merge-patch+json' });
const get = (of: TestTenant, id: string) => call(of.keys.reveal, 'GET', `/tokens/${id}`);
const idOf = (answer: TestResponse) => {
  if (answer.status >= 300) throw new Error(answer.text);
  return (answer.body as { id: string }).id;
};
const settled = async (settings: Readonly<Record<string, string>>): Promise<TestTenant> => {
  const own = await vault.makeTenant();
  const answer = await call(own.keys.management, 'PUT', '/tenants/self', { name: 'Own', settings });
  if (answer.status !== 200) throw new Error(answer.text);
  return own;
};
/** Returns a value that no other test uses. */
const fresh = () => `value ${crypto.randomUUID()}`;

describe('an expression that reads nothing of the data is refused', () => {
  const blind = [
    'x',
    '',
    ' ',
    '4242424242424242',
    '{{ metadata.a }}',
    '{{ metadata }}',
    'a{{ metadata.a }}b{{ metadata.b | upcase }}',
    '{{ Data }}',
    '{{ dat }}',
    '{{ database.x }}',
    "{{ metadata['data'] }}",
    '{{ metadata.data.number }}',
    "{{ metadata.a | append: 'data' }}",
    'data',
    '{ { data } }',
    '{{ token }}',
  ];
  const field = {
    status: 400,
    body: { errors: { fingerprint_expression: [expect.stringContaining('must read data')] } },
  };

  it.each(blind)('by POST /tokens: %j', async (fingerprint_expression) => {
    expect(await create(attacker, { data: fresh(), metadata: { a: 'b' }, fingerprint_expression })).toMatchObject(
      field,
    );
  });

  it.each(blind)('by POST /tokenize, which then stores nothing: %j', async (fingerprint_expression) => {
    const data = fresh();
    const body = { fine: data, bad: { type: 'token', data, fingerprint_expression } };
    const answer = await call(attacker, 'POST', '/tokenize', body);
    expect(answer.status).toBe(400);
    expect((answer.body as { errors: object }).errors).toHaveProperty(['bad.fingerprint_expression']);
    expect((await create(tenant.keys.private, { data, deduplicate_token: true })).status).toBe(201);
  });

  it.each(blind)('by PATCH: %j', async (fingerprint_expression) => {
    const id = idOf(await create(attacker, { data: fresh() }));
    expect(await patch(tenant.keys.private, id, { fingerprint_expression })).toMatchObject(field);
    expect(await patch(tenant.keys.private, id, { data: fresh(), fingerprint_expression })).toMatchObject(field);
  });
});

/** Expressions that read the data but yield the same result for all data, or a result that the attacker chooses. */
const levelling: readonly [string, (value: string) => { data: unknown; fingerprint_expression: string }][] = [
  ['a cut to nothing', (value) => ({ data: 'mine', fingerprint_expression: `{{ data | slice: 0, 0 }}${value}` })],
  ['a member that is not there', (value) => ({ data: {}, fingerprint_expression: `{{ data.nosuch }}${value}` })],
  ['a replacement', (value) => ({ data: 'mine', fingerprint_expression: `{{ data | replace: 'mine', '${value}' }}` })],
  ['a removal', (value) => ({ data: 'mine', fingerprint_expression: `{{ data | remove: 'mine' }}${value}` })],
  ['another member', (value) => ({ data: { bait: value, real: 'mine' }, fingerprint_expression: '{{ data.bait }}' })],
  ['a part', (value) => ({ data: `${value}|mine`, fingerprint_expression: `{{ data | split: '|' | first }}` })],
  ['a tail', (value) => ({ data: `mine|${value}`, fingerprint_expression: `{{ data | split: '|' | last }}` })],
  ['an element of a list', (value) => ({ data: ['mine', value], fingerprint_expression: '{{ data[1] }}' })],
  [
    'two halves',
    (value) => ({ data: [value.slice(0, 9), value.slice(9)], fingerprint_expression: '{{ data[0] }}{{ data[1] }}' }),
  ],
];

describe('a token answers only for what it holds', () => {
  it.each(levelling)('and not through %s, for a create', async (_name, poison) => {
    const value = fresh();
    const poisoned = idOf(await create(attacker, poison(value)));
    const answer = await create(tenant.keys.private, { data: value, deduplicate_token: true });
    expect(answer.status).toBe(201);
    expect(idOf(answer)).not.toBe(poisoned);
    expect((await get(tenant, idOf(answer))).body).toMatchObject({ data: value });
  });

  it.each(levelling)('and not through %s, for a tokenization', async (_name, poison) => {
    const value = fresh();
    const poisoned = idOf(await create(attacker, poison(value)));
    const answer = await call(tenant.keys.private, 'POST', '/tokenize', [
      { type: 'token', data: value, deduplicate_token: true },
    ]);
    const [token] = answer.body as { id: string }[];
    expect(token?.id).not.toBe(poisoned);
    expect((await get(tenant, token?.id ?? '')).body).toMatchObject({ data: value });
  });

  it.each(levelling)('and not through %s, in a tenant that deduplicates everything', async (_name, poison) => {
    const own = await settled({ deduplicate_tokens: 'true' });
    const value = fresh();
    const poisoned = idOf(await create(await publicKeyOf(own), poison(value)));
    const answer = await create(own.keys.private, { data: value });
    expect(idOf(answer)).not.toBe(poisoned);
    expect((await get(own, idOf(answer))).body).toMatchObject({ data: value });
  });

  it.each(levelling)('and not through %s, where the tenant updates what it finds', async (_name, poison) => {
    const own = await settled({ deduplicate_tokens: 'true', token_deduplication_behavior: 'update_existing' });
    const value = fresh();
    const poisoned = idOf(await create(await publicKeyOf(own), poison(value)));
    expect(idOf(await create(own.keys.private, { data: value }))).not.toBe(poisoned);
    expect((await get(own, poisoned)).body).toMatchObject({ data: poison(value).data });
  });

  it.each(levelling)('and does not hide what an update shows, through %s', async (_name, poison) => {
    const rules = [
      {
        description: '',
        priority: 1,
        container: '/mine/',
        transform: 'reveal',
        permissions: ['token:read', 'token:update'],
      },
    ];
    const { key } = await createApplication(vault, tenant, { permissions: [], rules });
    const value = fresh();
    await create(attacker, poison(value));
    const id = idOf(await create(tenant.keys.private, { data: fresh(), containers: ['/mine/'] }));
    const answer = await patch(key, id, { data: value, deduplicate_token: true });
    expect(answer.body).toMatchObject({ data: value });
  });

  it.each(levelling)('and does not stand before the one that holds it, through %s', async (_name, poison) => {
    const value = fresh();
    await create(attacker, poison(value));
    const id = idOf(await create(tenant.keys.private, { data: value }));
    const answer = await create(tenant.keys.private, { data: value, deduplicate_token: true });
    expect(answer).toMatchObject({ status: 200, body: { id } });
  });

  it('even if it was stored under a constant by an earlier version', async () => {
    const value = fresh();
    const poisoned = idOf(await create(attacker, { data: 'mine' }));
    const print = (await create(tenant.keys.private, { data: value })).body as { id: string; fingerprint: string };
    await call(tenant.keys.private, 'DELETE', `/tokens/${print.id}`);
    await vault.database.owner.query('update tokens set fingerprint = $2, fingerprint_expression = $3 where id = $1', [
      poisoned,
      print.fingerprint,
      value,
    ]);
    const answer = await create(tenant.keys.private, { data: value, deduplicate_token: true });
    expect(answer.status).toBe(201);
    expect(idOf(answer)).not.toBe(poisoned);
    // The token stays usable. Other changes do not require knowing the expression.
    expect((await patch(tenant.keys.private, poisoned, { metadata: { a: 'b' } })).status).toBe(200);
  });

  it('and a card of another kind is not one of this kind', async () => {
    const number = makeCardNumber();
    const poison = {
      type: 'card',
      data: { number: makeCardNumber() },
      fingerprint_expression: `{{ data.no }}${number}`,
    };
    const poisoned = idOf(await create(attacker, poison));
    const answer = await create(tenant.keys.private, { type: 'card', data: { number }, deduplicate_token: true });
    expect(answer.status).toBe(201);
    expect(idOf(answer)).not.toBe(poisoned);
  });
});

describe('a token that a public key has planted for a value', () => {
  const planted: [string, object][] = [
    ['in another container', { containers: ['/junk/'] }],
    ['under a mask that shows it', { mask: '{{ data }}' }],
    ['with an end', { expires_at: '2050-01-01' }],
    ['without the mask of the request', { mask: null }],
  ];

  it.each(planted)('does not stand for the one that is stored later: %s', async (_name, bait) => {
    const number = makeCardNumber();
    const card = { type: 'card_number', data: number };
    const poisoned = idOf(await create(attacker, { ...card, ...bait }));
    const answer = await create(tenant.keys.private, { ...card, deduplicate_token: true });
    expect(answer.status).toBe(201);
    expect(idOf(answer)).not.toBe(poisoned);
    expect(idOf(await create(tenant.keys.private, { ...card, deduplicate_token: true }))).toBe(idOf(answer));
  });

  it('does, if it is what the request would have made, or if only private keys have written it', async () => {
    const card = { type: 'card_number', data: makeCardNumber() };
    const id = idOf(await create(attacker, card));
    expect(idOf(await create(tenant.keys.private, { ...card, deduplicate_token: true }))).toBe(id);
    const own = { type: 'card_number', data: makeCardNumber() };
    const made = idOf(await create(tenant.keys.private, { ...own, containers: ['/elsewhere/'], mask: 'x' }));
    expect(idOf(await create(tenant.keys.private, { ...own, deduplicate_token: true }))).toBe(made);
  });
});

describe('what an update of a duplicate writes', () => {
  const updating = () => settled({ token_deduplication_behavior: 'update_existing' });
  const again = (data: unknown, more: object = {}) => ({ type: 'token', data, deduplicate_token: true, ...more });
  const by = '{{ data.key }}';

  it.each([
    ['the containers of the request', { containers: ['/high/'] }],
    ['the default containers', {}],
    ['more containers than the token is in', { containers: ['/high/', '/higher/'] }],
  ])('goes nowhere but into %s', async (_name, place) => {
    const own = await updating();
    const bait = { data: { key: 'k' }, fingerprint_expression: by, containers: ['/low/'] };
    const id = idOf(await create(await publicKeyOf(own), bait));
    const secret = again({ key: 'k', secret: fresh() }, { fingerprint_expression: by, ...place });
    expect(await create(own.keys.private, secret)).toMatchObject({ status: 201 });
    expect((await get(own, id)).body).toMatchObject({ data: { key: 'k' } });
    expect((await get(own, id)).text).not.toContain('secret');
  });

  it('is not written by a key that may not update it, and the attempt changes nothing', async () => {
    const own = await updating();
    const value = fresh();
    const { id } = (await create(own.keys.private, { data: value, metadata: { a: 'first' } })).body as { id: string };
    const { key } = await createApplication(vault, own, { type: 'public', permissions: ['token:create'] });
    const attempt = again(value, { metadata: { a: 'second' }, mask: '{{ data }}' });
    expect(await create(key, attempt)).toMatchObject({ status: 403 });
    expect(await call(key, 'POST', '/tokenize', { other: fresh(), attempt })).toMatchObject({ status: 403 });
    expect((await get(own, id)).body).toMatchObject({ metadata: { a: 'first' } });
    expect((await get(own, id)).body).not.toHaveProperty('mask');
    const { rows } = await vault.database.owner.query('select id from tokens where tenant_id = $1', [own.id]);
    expect(rows).toStrictEqual([{ id }]);
  });

  it('is not seen through a mask that was there before', async () => {
    const own = await updating();
    const bait = { data: { key: 'k' }, fingerprint_expression: by, mask: '{{ data }}' };
    const id = idOf(await create(await publicKeyOf(own), bait));
    const secret = fresh();
    const update = again({ key: 'k', secret }, { fingerprint_expression: by });
    expect(await create(own.keys.private, update)).toMatchObject({ status: 200, body: { id } });
    expect((await call(own.keys.private, 'GET', `/tokens/${id}`)).text).not.toContain(secret);
  });

  it('is not found by an index that was there before', async () => {
    const own = await updating();
    const bait = {
      data: { key: 'k', s: 'x' },
      fingerprint_expression: by,
      search_indexes: ['{{ data.s | slice: 0, 1 }}'],
    };
    const id = idOf(await create(await publicKeyOf(own), bait));
    await create(own.keys.private, again({ key: 'k', s: '7 is the first' }, { fingerprint_expression: by }));
    const found = await call(own.keys.private, 'POST', '/tokens/search', { query: 'data:7' });
    expect(found.body).toMatchObject({ data: [] });
    expect((await get(own, id)).body).toMatchObject({ data: { s: '7 is the first' } });
  });

  it('leaves nothing of what was there to the one who writes', async () => {
    const own = await updating();
    const secret = fresh();
    const owned = { data: { key: 'k', secret }, metadata: { note: 'theirs' }, fingerprint_expression: by };
    const id = idOf(await create(own.keys.private, owned));
    const update = again({ key: 'k' }, { fingerprint_expression: by, mask: '{{ data }}' });
    const answer = await create(await publicKeyOf(own), update);
    expect(answer).toMatchObject({ status: 200, body: { id } });
    expect(answer.text).not.toContain('theirs');
    expect((await get(own, id)).text).not.toContain(secret);
  });
});

describe('what still works', () => {
  it('tokens of one expression are duplicates of each other', async () => {
    const body = {
      data: { customer: fresh() },
      fingerprint_expression: '{{ data.customer }}',
      deduplicate_token: true,
    };
    const id = idOf(await create(attacker, body));
    expect(await create(tenant.keys.private, body)).toMatchObject({ status: 200, body: { id } });
  });

  it('the default expression is the same whether it is written out or not', async () => {
    for (const [type, data, expression] of [
      ['token', fresh(), '{{ data | stringify }}'],
      ['card', { number: makeCardNumber() }, '{{ data.number }}'],
    ] as const) {
      const id = idOf(await create(attacker, { type, data }));
      const spelled = { type, data, fingerprint_expression: expression, deduplicate_token: true };
      expect(await create(tenant.keys.private, spelled)).toMatchObject({ status: 200, body: { id } });
      const { id: other } = (await create(attacker, { ...spelled, deduplicate_token: false })).body as { id: string };
      await call(tenant.keys.private, 'DELETE', `/tokens/${id}`);
      const plain = { type, data, deduplicate_token: true };
      expect(await create(tenant.keys.private, plain)).toMatchObject({ status: 200, body: { id: other } });
    }
  });
});
