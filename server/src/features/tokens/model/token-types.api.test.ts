import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fieldsOf } from '../../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { TokenEndpoints, tokenOf } from '../../../../test/harness/token-endpoints.ts';
import { tokenTypeNames } from '../../../core/token-types/token-type-catalog.ts';

let vault: TestVault;
let tenant: TestTenant;
let tokens: TokenEndpoints;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  tokens = new TokenEndpoints(vault, tenant.keys.reveal);
});
afterAll(() => vault.stop());

const reveals4 = '{{ data | reveal_last: 4 }}';
const bankMask = {
  routing_number: '{{ data.routing_number }}',
  account_number: '{{ data.account_number | reveal_last: 4 }}',
};
const maskedCard = { number: 'XXXXXXXXXXXX4242', expiration_month: 12, expiration_year: 2050 };
const piiIndexes = ['{{ data }}', "{{ data | remove: '-' }}", '{{ data | last4 }}'];

/** The behavior of each type if the caller leaves everything at its default. */
const defaults = [
  {
    type: 'token',
    data: { anything: [1, 'b'] },
    container: '/general/high/',
    fingerprintExpression: '{{ data | stringify }}',
  },
  {
    type: 'card',
    data: { number: '4242424242424242', expiration_month: 12, expiration_year: 2050 },
    container: '/pci/high/',
    mask: maskedCard,
    masked: maskedCard,
    fingerprintExpression: '{{ data.number }}',
    derived: { card: { bin: '42424242', last4: '4242', brand: 'visa', expiration_month: 12, expiration_year: 2050 } },
  },
  {
    type: 'bank',
    data: { routing_number: '021000021', account_number: '00123456789' },
    container: '/bank/high/',
    mask: bankMask,
    masked: { routing_number: '021000021', account_number: 'XXXXXXX6789' },
    fingerprintExpression: '{{ data.account_number }}|{{ data.routing_number }}',
    derived: { bank: { routing_number: '021000021', account_number_last4: '6789' } },
  },
  {
    type: 'card_number',
    data: '378282246310005',
    container: '/pci/high/',
    mask: reveals4,
    masked: 'XXXXXXXXXXX0005',
    fingerprintExpression: '{{ data }}',
    derived: { card: { bin: '378282', last4: '0005', brand: 'american-express' } },
  },
  {
    type: 'us_bank_account_number',
    data: '0012345678',
    container: '/bank/high/',
    mask: reveals4,
    masked: 'XXXXXX5678',
    fingerprintExpression: '{{ data }}',
  },
  {
    type: 'us_bank_routing_number',
    data: '021000021',
    container: '/bank/low/',
    mask: reveals4,
    masked: 'XXXXX0021',
    fingerprintExpression: '{{ data }}',
  },
  {
    type: 'social_security_number',
    data: '123-45-6789',
    container: '/pii/high/',
    mask: reveals4,
    masked: 'XXX-XX-6789',
    fingerprintExpression: "{{ data | remove: '-' }}",
    searchIndexes: piiIndexes,
  },
  {
    type: 'employer_id_number',
    data: '12-3456789',
    container: '/pii/high/',
    mask: reveals4,
    masked: 'XX-XXX6789',
    fingerprintExpression: "{{ data | remove: '-' }}",
    searchIndexes: piiIndexes,
  },
];

it('are tested for every type', () => {
  expect(defaults.map(({ type }) => type)).toEqual(tokenTypeNames);
});

describe.each(defaults)('$type', (wanted) => {
  const shared = () => ({
    id: expect.any(String),
    tenant_id: tenant.id,
    type: wanted.type,
    ...(wanted.mask === undefined ? {} : { mask: wanted.mask }),
    fingerprint: expect.any(String),
    fingerprint_expression: wanted.fingerprintExpression,
    containers: [wanted.container],
    ...(wanted.searchIndexes === undefined ? {} : { search_indexes: wanted.searchIndexes }),
    created_by: expect.any(String),
    created_at: expect.any(String),
    ...wanted.derived,
  });

  it('201 applies its defaults and reveals the data to who may see it', async () => {
    const answer = await tokens.create({ type: wanted.type, data: wanted.data });
    expect(answer.status).toBe(201);
    expect(answer.body).toStrictEqual({ ...shared(), data: wanted.data });
    expect((await tokens.get(tokenOf(answer).id)).body).toStrictEqual(answer.body);
  });

  it('201 shows its default mask, or nothing, to plain permissions', async () => {
    const answer = await tokens.create({ type: wanted.type, data: wanted.data }, { key: tenant.keys.private });
    expect(answer.status).toBe(201);
    expect(answer.body).toStrictEqual({ ...shared(), ...(wanted.masked === undefined ? {} : { data: wanted.masked }) });
    const read = await tokens.get(tokenOf(answer).id, { key: tenant.keys.private });
    expect(read.body).toStrictEqual(answer.body);
  });

  it('201 lets the caller replace every default', async () => {
    const own = {
      containers: ['/mine/'],
      mask: 'hidden',
      fingerprint_expression: 'x{{ data | stringify }}',
      search_indexes: ['{{ data | stringify }}'],
    };
    const answer = await tokens.create({ type: wanted.type, data: wanted.data, ...own }, { key: tenant.keys.private });
    expect(answer.body).toStrictEqual({ ...shared(), ...own, data: 'hidden' });
  });

  it('201 has no mask and no indexes where the caller wants none', async () => {
    const body = { type: wanted.type, data: wanted.data, mask: null, search_indexes: [] };
    const answer = await tokens.create(body, { key: tenant.keys.private });
    const { mask: _, search_indexes: __, ...rest } = { mask: '', search_indexes: '', ...shared() };
    expect(answer.body).toStrictEqual(rest);
    const { rows } = await vault.database.owner.query('select from token_terms where token_id = $1', [
      tokenOf(answer).id,
    ]);
    expect(rows).toHaveLength(0);
  });
});

describe('data of a type 201', () => {
  it.each([
    ['card', { number: '424242424242' }],
    ['card', { number: '6304000000000000000' }],
    ['card', { number: '4242424242424242', expiration_month: 1, expiration_year: 1000 }],
    ['card', { number: '4242424242424242', expiration_month: null, expiration_year: null, cvc: null }],
    ['card', { number: '4242424242424242', holder: 'Ada', nested: { cvc: 'not a code' } }],
    ['bank', { routing_number: '021000021', account_number: '1' }],
    ['bank', { routing_number: '021000021', account_number: '12345678901234567', note: 'mine' }],
    ['us_bank_account_number', '123'],
    ['us_bank_account_number', '12345678901234567'],
    ['social_security_number', '123456789'],
    ['employer_id_number', '123456789'],
  ])('takes a %s of %j', async (type, data) => {
    expect((await tokens.create({ type, data })).status).toBe(201);
  });

  it('has the same fingerprint with and without dashes', async () => {
    const plain = await tokens.make({ type: 'social_security_number', data: '123456789' });
    const dashed = await tokens.make({ type: 'social_security_number', data: '123-45-6789' });
    expect(dashed.fingerprint).toBe(plain.fingerprint);
  });

  it.each([
    ['4242424242424242', '123'],
    ['378282246310005', '1234'],
    ['4242424242424242', 123],
    ['378282246310005', 1234],
    ['4242424242424242', '012'],
  ])('takes, for %s, the code %j and gives it back as it came', async (number, cvc) => {
    const answer = await tokens.create({ type: 'card', data: { number, cvc } });
    expect(answer).toMatchObject({ status: 201, body: { data: { number, cvc } } });
  });

  it.each([
    ['Visa', '4242424242424242', '1234'],
    ['American Express', '378282246310005', '123'],
  ])('of %s %s refuses the code %s', async (_, number, cvc) => {
    const answer = await tokens.create({ type: 'card', data: { number, cvc } });
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['data.cvc']]);
  });

  it('shows no brand where no network issues such numbers', async () => {
    const answer = await tokens.create({ type: 'card_number', data: '000000000000' });
    expect(answer.body).toMatchObject({ card: { bin: '000000', last4: '0000' } });
    expect(answer.text).not.toContain('brand');
  });
});

describe('data of a type 400', () => {
  const number = '4242424242424242';
  it.each([
    ['card', 'data', number],
    ['card', 'data', [number]],
    ['card', 'data', null],
    ['card', 'data.number', {}],
    ['card', 'data.number', { number: null }],
    ['card', 'data.number', { number: 4_242_424_242_424_242 }],
    ['card', 'data.number', { number: '4242424242424241' }],
    ['card', 'data.number', { number: '4242 4242 4242 4242' }],
    ['card', 'data.number', { number: '4242-4242-4242-4242' }],
    ['card', 'data.number', { number: '42424242426' }],
    ['card', 'data.number', { number: '00000000000000000000' }],
    ['card', 'data.number', { number: '٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢' }],
    ['card', 'data.number', { number: `${number}\n` }],
    ['card', 'data.expiration_month', { number, expiration_month: 0 }],
    ['card', 'data.expiration_month', { number, expiration_month: 13 }],
    ['card', 'data.expiration_month', { number, expiration_month: '12' }],
    ['card', 'data.expiration_month', { number, expiration_month: 1.5 }],
    ['card', 'data.expiration_year', { number, expiration_year: 26 }],
    ['card', 'data.expiration_year', { number, expiration_year: 10_000 }],
    ['card', 'data.expiration_year', { number, expiration_year: '2030' }],
    ['card', 'data.cvc', { number, cvc: '12' }],
    ['card', 'data.cvc', { number, cvc: '12345' }],
    ['card', 'data.cvc', { number, cvc: 12 }],
    ['card', 'data.cvc', { number, cvc: 12_345 }],
    ['card', 'data.cvc', { number, cvc: -123 }],
    ['card', 'data.cvc', { number, cvc: 123.5 }],
    ['card', 'data.cvc', { number, cvc: '12a' }],
    ['card', 'data.cvc', { number, cvc: ['123'] }],
    ['card', 'data.cvc', { number, cvc: '' }],
    ['card', 'data.cvc', { number, cvv: '123' }],
    ['card', 'data.cvc', { number, cvc: '123', Security_Code: 1234 }],
    ['bank', 'data', '021000021'],
    ['bank', 'data.routing_number', { account_number: '1' }],
    ['bank', 'data.routing_number', { routing_number: '021000022', account_number: '1' }],
    ['bank', 'data.routing_number', { routing_number: 21_000_021, account_number: '1' }],
    ['bank', 'data.routing_number', { routing_number: '02100002', account_number: '1' }],
    ['bank', 'data.account_number', { routing_number: '021000021' }],
    ['bank', 'data.account_number', { routing_number: '021000021', account_number: '' }],
    ['bank', 'data.account_number', { routing_number: '021000021', account_number: '123456789012345678' }],
    ['bank', 'data.account_number', { routing_number: '021000021', account_number: '12-34' }],
    ['bank', 'data.account_number', { routing_number: '021000021', account_number: 1234 }],
    ['card_number', 'data', '4242424242424241'],
    ['card_number', 'data', 4_242_424_242_424_242],
    ['card_number', 'data', { number }],
    ['card_number', 'data', ''],
    ['us_bank_account_number', 'data', '12'],
    ['us_bank_account_number', 'data', '123456789012345678'],
    ['us_bank_account_number', 'data', '12 34'],
    ['us_bank_account_number', 'data', 1234],
    ['us_bank_routing_number', 'data', '021000022'],
    ['us_bank_routing_number', 'data', '0210000210'],
    ['us_bank_routing_number', 'data', null],
    ['social_security_number', 'data', '12345678'],
    ['social_security_number', 'data', '1234567890'],
    ['social_security_number', 'data', '123-456789'],
    ['social_security_number', 'data', '12-345-6789'],
    ['social_security_number', 'data', 123_456_789],
    ['employer_id_number', 'data', '1-23456789'],
    ['employer_id_number', 'data', '12-345678'],
    ['employer_id_number', 'data', ['12-3456789']],
  ])('refuses a %s and names %s: %j', async (type, field, data) => {
    const answer = await tokens.create({ type, data });
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer)).toStrictEqual([field]);
  });
});
