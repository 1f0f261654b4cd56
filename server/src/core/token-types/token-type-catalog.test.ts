import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Sensitive } from '../identity/sensitive.ts';
import { ExactNumber, type JsonValue } from '../json/json-value.ts';
import { findTokenType, tokenTypeNames } from './token-type-catalog.ts';

const revealLast4 = '{{ data | reveal_last: 4 }}';
const withoutDashes = "{{ data | remove: '-' }}";
const dashedIndexes = ['{{ data }}', withoutDashes, '{{ data | last4 }}'];

interface Row {
  readonly containers: readonly string[];
  readonly mask: JsonValue | undefined;
  readonly fingerprint: string;
  readonly indexes: readonly string[];
  readonly valid: readonly JsonValue[];
  readonly invalid: readonly JsonValue[];
}

// These are values that no type made of digits accepts.
const neverDigits: readonly JsonValue[] = [null, true, 123456789, {}, [], '', 'abc', ' 123456789', '123456789\n'];

const rows: Readonly<Record<string, Row>> = {
  token: {
    containers: ['/general/high/'],
    mask: undefined,
    fingerprint: '{{ data | stringify }}',
    indexes: [],
    valid: [null, false, 0, new ExactNumber('1e400'), '', 'x', [], [1, [2]], {}, { a: { b: null } }],
    invalid: [],
  },
  card: {
    containers: ['/pci/high/'],
    mask: {
      number: '{{ data.number | reveal_last: 4 }}',
      expiration_month: '{{ data.expiration_month }}',
      expiration_year: '{{ data.expiration_year }}',
    },
    fingerprint: '{{ data.number }}',
    indexes: [],
    valid: [{ number: '4242424242424242', expiration_month: 12, expiration_year: 2030, cvc: '123' }],
    invalid: [...neverDigits, '4242424242424242', { number: '4242424242424241' }],
  },
  bank: {
    containers: ['/bank/high/'],
    mask: {
      routing_number: '{{ data.routing_number }}',
      account_number: '{{ data.account_number | reveal_last: 4 }}',
    },
    fingerprint: '{{ data.account_number }}|{{ data.routing_number }}',
    indexes: [],
    valid: [{ routing_number: '021000021', account_number: '1234567890' }],
    invalid: [...neverDigits, { routing_number: '021000021' }, { account_number: '1234567890' }],
  },
  card_number: {
    containers: ['/pci/high/'],
    mask: revealLast4,
    fingerprint: '{{ data }}',
    indexes: [],
    valid: ['4242424242424242', '36227206271667', '501800000009', '6799990100000000019'],
    invalid: [...neverDigits, '4242424242424241', '4242 4242 4242 4242', '42424242424', { number: '4242424242424242' }],
  },
  us_bank_account_number: {
    containers: ['/bank/high/'],
    mask: revealLast4,
    fingerprint: '{{ data }}',
    indexes: [],
    valid: ['123', '1234567890', '12345678901234567'],
    invalid: [...neverDigits, '12', '123456789012345678', '12-34'],
  },
  us_bank_routing_number: {
    containers: ['/bank/low/'],
    mask: revealLast4,
    fingerprint: '{{ data }}',
    indexes: [],
    valid: ['021000021', '110000000'],
    invalid: [...neverDigits, '021000022', '02100002', '0210000210', '021-000-021'],
  },
  social_security_number: {
    containers: ['/pii/high/'],
    mask: revealLast4,
    fingerprint: withoutDashes,
    indexes: dashedIndexes,
    valid: ['123456789', '123-45-6789'],
    invalid: [...neverDigits, '12345678', '1234567890', '12-3456789', '123-456789', '12345-6789', '123 45 6789', '-'],
  },
  employer_id_number: {
    containers: ['/pii/high/'],
    mask: revealLast4,
    fingerprint: withoutDashes,
    indexes: dashedIndexes,
    valid: ['123456789', '12-3456789'],
    invalid: [...neverDigits, '12345678', '1234567890', '123-45-6789', '1-23456789', '12--3456789', '12-345678', '-'],
  },
};

describe('the catalog', () => {
  it('lists exactly the documented types, each by a name within the limit', () => {
    expect(tokenTypeNames).toEqual(Object.keys(rows));
    expect(tokenTypeNames.every((name) => name.length <= 50)).toBe(true);
  });

  it.each(['', 'Card', 'card ', 'cards', 'constructor', '__proto__', 'toString'])('has no type called "%s"', (name) => {
    expect(findTokenType(name)).toBeUndefined();
  });
});

describe.each(Object.entries(rows))('%s', (name, row) => {
  const type = findTokenType(name);

  it('carries its documented defaults', () => {
    expect(type).toMatchObject({
      name,
      defaultContainers: row.containers,
      defaultFingerprintExpression: row.fingerprint,
      defaultSearchIndexes: row.indexes,
    });
    expect(type?.defaultMask).toEqual(row.mask);
  });

  it.each(row.valid.map((data) => [data]))('accepts %j', (data) => {
    expect(type?.validate(new Sensitive(data))).toBeUndefined();
  });

  it.each(row.invalid.map((data) => [data]))('refuses %j under a path below data', (data) => {
    const errors = type?.validate(new Sensitive(data));
    expect(Object.keys(errors ?? {}).every((path) => path === 'data' || path.startsWith('data.'))).toBe(true);
    expect(Object.values(errors ?? {}).flat()).not.toHaveLength(0);
  });

  it('never throws, whatever the data', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (data) => {
        type?.validate(new Sensitive(data as JsonValue));
        type?.derive?.(new Sensitive(data as JsonValue));
      }),
    );
  });
});

describe('derived details', () => {
  it('exist for a card number', () => {
    expect(findTokenType('card_number')?.derive?.(new Sensitive('5555555555554444'))).toEqual({
      card: { bin: '55555555', last4: '4444', brand: 'mastercard' },
    });
    expect(findTokenType('card_number')?.derive?.(new Sensitive({}))).toBeUndefined();
  });

  it.each(tokenTypeNames.filter((name) => !['card', 'card_number', 'bank'].includes(name)))(
    'do not exist for %s',
    (name) => {
      expect(findTokenType(name)?.derive).toBeUndefined();
    },
  );
});
