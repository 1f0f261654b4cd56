import { describe, expect, it } from 'vitest';
import { Sensitive } from '../identity/sensitive.ts';
import { ExactNumber, type JsonValue } from '../json/json-value.ts';
import { cardTokenType } from './card-token-type.ts';

const number = '4242424242424242';
const validate = (data: JsonValue) => cardTokenType.validate(new Sensitive(data));
const derive = (data: JsonValue) => cardTokenType.derive?.(new Sensitive(data));

describe('card data', () => {
  it.each<[string, JsonValue]>([
    ['a number alone', { number }],
    ['everything', { number, expiration_month: 12, expiration_year: 2030, cvc: '123' }],
    ['a code of four digits', { number: '378282246310005', cvc: '0123' }],
    ['a code as a JSON number', { number, cvc: 123 }],
    ['an expired card', { number, expiration_month: 1, expiration_year: 1999 }],
    ['nulls for what was left out', { number, expiration_month: null, expiration_year: null, cvc: null }],
    ['members of the caller', { number, name: 'A. Holder', billing: { zip: '94043' } }],
    ['a customer id called cid', { number, cid: 'customer-17' }],
    ['an empty cvv', { number, cvv: '' }],
  ])('may be %s', (_, data) => {
    expect(validate(data)).toBeUndefined();
  });

  it.each<[JsonValue]>([[null], [true], [number], [4242], [[number]], [new ExactNumber('1e400')]])(
    'is refused when it is %j instead of an object',
    (data) => {
      expect(validate(data)).toEqual({ data: ['Card data must be an object.'] });
    },
  );

  it.each<[JsonValue | undefined]>([
    [undefined],
    [null],
    [4242424242424242],
    [''],
    ['42424242424'],
    ['42424242424242424242'],
    ['4242 4242 4242 4242'],
    ['4242-4242-4242-4242'],
    ['4242424242424242\n'],
    ['４242424242424242'],
    [['4242424242424242']],
  ])('refuses the number %j', (value) => {
    expect(validate(value === undefined ? {} : { number: value })).toEqual({
      'data.number': ['The card number must be a string of 12 to 19 digits without separators.'],
    });
  });

  it('refuses a number that fails its checksum', () => {
    expect(validate({ number: '4242424242424241' })).toEqual({
      'data.number': ['The card number has an invalid checksum.'],
    });
  });

  it.each<[JsonValue]>([[0], [13], [-1], [1.5], ['12'], ['01'], [true], [[12]], [new ExactNumber('12.0')]])(
    'refuses the month %j',
    (expiration_month) => {
      expect(validate({ number, expiration_month })).toEqual({
        'data.expiration_month': ['The expiration month must be an integer from 1 to 12.'],
      });
    },
  );

  it.each<[JsonValue]>([[30], [999], [10000], [2030.5], ['2030'], [{}], [new ExactNumber('2030.0')]])(
    'refuses the year %j',
    (expiration_year) => {
      expect(validate({ number, expiration_year })).toEqual({
        'data.expiration_year': ['The expiration year must be a four-digit integer.'],
      });
    },
  );

  it.each<[JsonValue]>([
    [''],
    ['12'],
    ['12345'],
    ['12a'],
    ['1 3'],
    [12],
    [99],
    [10000],
    [-123],
    [123.5],
    [true],
    [['123']],
  ])('refuses the code %j', (cvc) => {
    expect(validate({ number, cvc })).toEqual({
      'data.cvc': ['The card verification code must be three or four digits.'],
    });
  });

  it.each<[string, string, JsonValue, string]>([
    ['Visa', number, '1234', 'three'],
    ['Visa', number, 1234, 'three'],
    ['Mastercard', '5555555555554444', '0123', 'three'],
    ['American Express', '378282246310005', '123', 'four'],
    ['American Express', '378282246310005', 123, 'four'],
  ])('of %s %s refuses the code %j', (_, ofBrand, cvc, digits) => {
    expect(validate({ number: ofBrand, cvc })).toEqual({
      'data.cvc': [`The verification code of a card of this brand must be ${digits} digits.`],
    });
  });

  it.each<[JsonValue]>([['123'], ['1234'], [123], [1234]])('of an unknown brand has the code %j', (cvc) => {
    expect(validate({ number: '9792000000000003', cvc })).toBeUndefined();
  });

  it('refuses the code 012 written as the number 12, which would come back as another code', () => {
    expect(validate({ number, cvc: new ExactNumber('12.0') })).toHaveProperty(['data.cvc']);
  });

  it.each([
    ['numbr', 'number'],
    ['Number', 'number'],
    ['expirationMonth', 'expiration_month'],
    ['expiration_mnoth', 'expiration_month'],
    ['expiration_yaer', 'expiration_year'],
  ])('refuses %s, which is %s misspelled', (written, meant) => {
    for (const card of [{ number }, { number, expiration_month: 12, expiration_year: 2030 }]) {
      expect(validate({ ...card, [written]: '4242424242424242' })).toEqual({
        [`data.${meant}`]: ['Is misspelled: the card data has an unknown member with a very similar name.'],
      });
    }
  });

  it.each([
    'cvv',
    'CVV',
    'cvv2',
    'CVC',
    'card_cvv',
    'cardCvv',
    'securityCode',
    'security-code',
    'cid',
    'csc',
    'ccv',
    'cvcc',
    'cv',
  ])('refuses a code called %s, which no sweep would erase', (name) => {
    expect(validate({ number, [name]: '123' })).toEqual({
      'data.cvc': ['A card verification code must be named cvc.'],
    });
    expect(validate({ number, cvc: '123', [name]: 123 })).toHaveProperty(['data.cvc']);
  });

  it('reports every problem at once and repeats no value', () => {
    const errors = validate({ number: '4242424242424241', expiration_month: 77, expiration_year: 66, cvc: '88888' });
    expect(Object.keys(errors ?? {})).toEqual([
      'data.number',
      'data.expiration_month',
      'data.expiration_year',
      'data.cvc',
    ]);
    expect(JSON.stringify(errors)).not.toMatch(/4242|77|66|888/);
  });
});

describe('derived card', () => {
  it('shows prefix, last digits, brand and expiration', () => {
    expect(derive({ number, expiration_month: 12, expiration_year: 2030, cvc: '123' })).toEqual({
      card: { bin: '42424242', last4: '4242', brand: 'visa', expiration_month: 12, expiration_year: 2030 },
    });
  });

  it('shows six digits of a number shorter than sixteen', () => {
    expect(derive({ number: '378282246310005' })).toEqual({
      card: { bin: '378282', last4: '0005', brand: 'american-express' },
    });
  });

  it('leaves out what is unknown', () => {
    expect(derive({ number: '122000000000003', expiration_month: null })).toEqual({
      card: { bin: '122000', last4: '0003' },
    });
  });

  it.each<[JsonValue]>([[null], [number], [{}], [{ number: 4242424242424242 }], [{ number: '4242' }]])(
    'is absent for %j',
    (data) => {
      expect(derive(data)).toBeUndefined();
    },
  );
});
