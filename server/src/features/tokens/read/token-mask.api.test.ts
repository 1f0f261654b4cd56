import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fieldsOf } from '../../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { TokenEndpoints, tokenOf } from '../../../../test/harness/token-endpoints.ts';

let vault: TestVault;
let tenant: TestTenant;
let tokens: TokenEndpoints;
/** The endpoints as called with a key that sees only masks. */
let masking: TokenEndpoints;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  tokens = new TokenEndpoints(vault, tenant.keys.reveal);
  masking = new TokenEndpoints(vault, tenant.keys.private);
});
afterAll(() => vault.stop());

const data = {
  number: '4242424242424242',
  month: 12,
  price: 1.5,
  isPaid: false,
  nothing: null,
  name: 'Ada',
  tags: ['a', 'b'],
  address: { city: 'London', zip: 'N1 9GU' },
};

describe('a mask 201', () => {
  it.each([
    ['text', 'hidden', 'hidden'],
    ['empty text', '', ''],
    ['a number', 7, 7],
    ['a boolean', false, false],
    ['an empty object', {}, {}],
    ['an empty list', [], []],
    ['an expression', '{{ data.name }}', 'Ada'],
    ['text around expressions', '<{{ data.name }}|{{data.month}}>', '<Ada|12>'],
    ['a filter', '{{ data.number | reveal_last: 4 }}', 'XXXXXXXXXXXX4242'],
    ['a comma in place of a pipe', '{{ data.number, reveal_last: 4 }}', 'XXXXXXXXXXXX4242'],
    ['quotes and blanks', `{{data.number|reveal:  "6" ,'4',"#"}}`, '424242######4242'],
    ['an integer', '{{ data.month }}', 12],
    ['a fraction', '{{ data.price }}', 1.5],
    ['a false', '{{ data.isPaid }}', false],
    ['a null', '{{ data.nothing }}', null],
    ['what is not there', '{{ data.missing.deeply }}', null],
    ['what is not there inside text', 'a{{ data.missing }}b', 'ab'],
    ['a list', '{{ data.tags }}', ['a', 'b']],
    ['an object', '{{ data.address }}', { city: 'London', zip: 'N1 9GU' }],
    ['everything', '{{ data }}', data],
    ['an item', '{{ data.tags[1] }}{{ data.tags.0 }}', 'ba'],
    ['a cast', '{{ data.number | to_number }}', 4_242_424_242_424_242],
    [
      'a tree',
      {
        a: ['{{ data.name | last4 }}', { b: '{{ data.month }}', c: null }, 7],
        city: '{{ data.address.city | upcase }}',
      },
      { a: ['Ada', { b: 12, c: null }, 7], city: 'LONDON' },
    ],
    ['metadata, which a mask does not know', '[{{ metadata.order }}]', '[]'],
    ['what every object inherits', '[{{ data.constructor }}{{ data.__proto__ }}{{ data.name.length }}]', '[]'],
    ['an expression inside of data', '{{ data.name }} {% if data %}', 'Ada {% if data %}'],
  ])('may be %s, and is echoed as it was supplied', async (_name, mask, masked) => {
    const answer = await masking.create({ type: 'token', data, mask, metadata: { order: '7' } });
    expect(answer.status).toBe(201);
    expect(tokenOf(answer)).toMatchObject({ mask, data: masked });
    expect((await masking.get(tokenOf(answer).id)).body).toStrictEqual(answer.body);
    expect((await tokens.get(tokenOf(answer).id)).body).toMatchObject({ mask, data });
  });

  it('keeps numbers exact', async () => {
    const rawBody = `{"type":"token","data":{"big":12345678901234567890},"mask":{"a":"{{ data.big }}","b":1.0,"c":-0}}`;
    const answer = await vault.request('POST', '/tokens', { key: tenant.keys.private, rawBody });
    expect(answer.text).toContain('"data":{"a":12345678901234567890,"b":1.0,"c":-0}');
    expect(answer.text).toContain('"mask":{"a":"{{ data.big }}","b":1.0,"c":-0}');
    expect((await masking.get(tokenOf(answer).id)).text).toBe(answer.text);
  });

  it('does not evaluate what stands in the data', async () => {
    const hostile = { a: '{{ data.b }}', b: 'secret' };
    const answer = await masking.create({ type: 'token', data: hostile, mask: '{{ data.a }}' });
    expect(tokenOf(answer).data).toBe('{{ data.b }}');
  });

  it('keeps text that PostgreSQL could not hold as it is', async () => {
    const mask = { 'a\u0000': 'b\u0000\ud800', c: '{{ data }}' };
    const answer = await masking.create({ type: 'token', data: 'x\u0000\udfff', mask });
    expect(tokenOf(answer)).toMatchObject({ mask, data: { 'a\u0000': 'b\u0000\ud800', c: 'x\u0000\udfff' } });
    expect((await masking.get(tokenOf(answer).id)).body).toStrictEqual(answer.body);
  });

  it('shows a card without expiration as one, number last four', async () => {
    const answer = await masking.create({ type: 'card', data: { number: '4242424242424242' } });
    const masked = { number: 'XXXXXXXXXXXX4242' };
    expect(tokenOf(answer).data).toStrictEqual(masked);
    expect(tokenOf(answer)).toHaveProperty('mask', masked);
  });

  it('shows a supplied mask of a card as expressions', async () => {
    const mask = { number: '{{ data.number | card_mask: true, true }}' };
    const answer = await masking.create({ type: 'card', data: { number: '4242424242424242' }, mask });
    expect(tokenOf(answer)).toMatchObject({ mask, data: { number: '42424242XXXX4242' } });
  });

  it('of null shows no data and no mask', async () => {
    const answer = await masking.create({ type: 'card', data: { number: '4242424242424242' }, mask: null });
    expect(answer.status).toBe(201);
    expect(Object.keys(answer.body as object)).not.toEqual(expect.arrayContaining(['data']));
    expect(Object.keys(answer.body as object)).not.toEqual(expect.arrayContaining(['mask']));
  });
});

describe('a mask 400', () => {
  it.each([
    ['an unknown filter', '{{ data | nope }}', 'mask'],
    ['an opened expression', '{{ data', 'mask'],
    ['an empty expression', '{{ }}', 'mask'],
    ['an argument too few', '{{ data | reveal_last }}', 'mask'],
    ['an argument of another kind', '{{ data | reveal_last: many }}', 'mask'],
    ['bytes', "{{ data | hmac: 'sha-256', 'k' }}", 'mask'],
    ['a wrong leaf', { a: ['x', '{{ data | nope }}'] }, 'mask.a.1'],
    ['too long an expression', `{{ data | append: '${'x'.repeat(1_000)}' }}`, 'mask'],
    ['too many filters', `{{ data ${'| upcase '.repeat(9)} }}`, 'mask'],
    ['too many members', Array.from({ length: 1_001 }, () => 1), 'mask'],
  ])('refuses %s', async (_name, mask, field) => {
    const answer = await tokens.create({ type: 'token', data: 'text', mask });
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer)).toStrictEqual([field]);
  });

  it.each([
    ['text that is no number', 'text', '{{ data | to_number }}', 'mask'],
    ['text that is no boolean', 'text', { ok: 1, no: '{{ data | to_boolean }}' }, 'mask.no'],
    ['an object that a text filter meets', { a: 1 }, ['{{ data | reveal_last: 4 }}'], 'mask.0'],
    ['several values where one is wanted', [1, 2], "{{ data | json: '$[*]' }}", 'mask'],
    ['the first of a text', 'text', '{{ data | first }}', 'mask'],
    ['more than a mask may show', 'x'.repeat(70_000), '{{ data }}', 'mask'],
    ['more than a mask may read', 'x'.repeat(5_000), Array.from({ length: 60 }, () => '{{ data | last4 }}'), 'mask.26'],
  ])('refuses to store a token whose mask fails on %s', async (_name, value, mask, field) => {
    const id = `mask-${crypto.randomUUID()}`;
    const answer = await tokens.create({ id, type: 'token', data: value, mask });
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer)).toStrictEqual([field]);
    expect((await tokens.get(id)).status).toBe(404);
  });

  it('refuses an update of the data that the mask cannot show, and leaves the token as it was', async () => {
    const { id } = await tokens.make({ data: { n: '7' }, mask: { n: '{{ data.n | to_number }}' } });
    const refused = await tokens.patch(id, { data: { n: 'seven' } });
    expect(refused.status).toBe(400);
    expect(fieldsOf(refused)).toStrictEqual(['mask.n']);
    const read = await masking.get(id);
    expect(read).toMatchObject({ status: 200, body: { data: { n: 7 } } });
    expect(tokenOf(read).modified_at).toBeUndefined();
  });

  it('refuses an update of the mask that the data does not fit', async () => {
    const { id } = await tokens.make({ data: 'seven', mask: 'x' });
    expect(fieldsOf(await tokens.patch(id, { mask: '{{ data | to_number }}' }))).toStrictEqual(['mask']);
    expect((await masking.get(id)).body).toMatchObject({ mask: 'x', data: 'x' });
    expect((await tokens.patch(id, { mask: '{{ data | to_number }}', data: '7' })).status).toBe(200);
    expect((await masking.get(id)).body).toMatchObject({ data: 7 });
  });
});

describe('a mask that a later version refuses', () => {
  it('hides the data and breaks no read', async () => {
    const { id } = await tokens.make({ data: 'seven', mask: 'x' });
    for (const mask of ['"{{ data | retired_filter }}"', '"{{ data | to_number }}"']) {
      await vault.database.owner.query('update tokens set mask = $2 where id = $1', [id, mask]);
      const read = await masking.get(id);
      expect(read.status).toBe(200);
      expect(Object.keys(read.body as object)).not.toContain('data');
      expect(tokenOf(await tokens.get(id)).data).toBe('seven');
    }
  });
});
