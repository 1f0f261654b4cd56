import { describe, expect, it } from 'vitest';
import { Sensitive } from '../identity/sensitive.ts';
import type { JsonValue } from '../json/json-value.ts';
import { bankTokenType } from './bank-token-type.ts';

const routing_number = '021000021';
const account_number = '00012345678901234';
const validate = (data: JsonValue) => bankTokenType.validate(new Sensitive(data));
const derive = (data: JsonValue) => bankTokenType.derive?.(new Sensitive(data));

describe('bank data', () => {
  it.each(['1', '1234567890', account_number])('may have the account number %s', (number) => {
    expect(validate({ routing_number, account_number: number })).toBeUndefined();
  });

  it('may have members of the caller', () => {
    expect(validate({ routing_number, account_number, account_type: 'checking' })).toBeUndefined();
  });

  it.each([
    ['1', 'X'],
    ['1234', 'XXXX'],
    ['12345', '2345'],
  ])('hides an account number that has no more than four digits: %s', (short, shown) => {
    expect(derive({ routing_number, account_number: short })).toEqual({
      bank: { routing_number, account_number_last4: shown },
    });
  });

  it.each<[JsonValue]>([[null], ['021000021'], [[]], [7]])('is refused when it is %j instead of an object', (data) => {
    expect(validate(data)).toEqual({ data: ['Bank data must be an object.'] });
  });

  it.each<[JsonValue]>([[null], [''], [1234567890], ['123456789012345678'], ['12-34'], ['12 34'], [['1']]])(
    'refuses the account number %j',
    (value) => {
      expect(validate({ routing_number, account_number: value })).toEqual({
        'data.account_number': ['The account number must be a string of at most 17 digits.'],
      });
    },
  );

  it('refuses a routing number that fails its checksum', () => {
    expect(validate({ routing_number: '021000022', account_number })).toEqual({
      'data.routing_number': ['The routing number has an invalid checksum.'],
    });
  });

  it('reports every missing member at once', () => {
    expect(Object.keys(validate({}) ?? {})).toEqual(['data.routing_number', 'data.account_number']);
  });
});

describe('derived bank', () => {
  it('shows the routing number and the end of the account number', () => {
    expect(derive({ routing_number, account_number })).toEqual({
      bank: { routing_number, account_number_last4: '1234' },
    });
  });

  it.each<[JsonValue]>([[null], ['1'], [{}], [{ routing_number }], [{ routing_number, account_number: 12 }]])(
    'is absent for %j',
    (data) => {
      expect(derive(data)).toBeUndefined();
    },
  );
});
