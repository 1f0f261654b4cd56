import { describe, expect, it } from 'vitest';
import { findCardBrand, findCardNumberProblem } from './card-number.ts';

// These are test numbers that networks and processors publish.
const testNumbers = {
  visa: ['4242424242424242', '4111111111111111', '4222222222222', '4035501000000008'],
  mastercard: ['5555555555554444', '5105105105105100', '2223003122003222', '2720992593319364', '2221000000000009'],
  'american-express': ['378282246310005', '341111111111111'],
  discover: ['6011111111111117', '6011000990139424', '6445644564456445'],
  'diners-club': ['30569309025904', '38520000023237', '36227206271667', '3056930009020004'],
  jcb: ['3530111333300000', '3566002020360505'],
  unionpay: ['6200000000000005', '6205500000000000004', '8171999927660000', '8171999900000000021'],
  maestro: ['6759649826438453', '6304000000000000', '6799990100000000019', '5018000000000009', '501800000009'],
  mir: ['2200000000000004', '2201382000000013'],
  elo: ['6362970000457013', '5066991111111118', '4011780000000006'],
  hipercard: ['6062826786276634', '6062825624254001'],
};

describe('findCardBrand', () => {
  it.each(Object.entries(testNumbers).flatMap(([brand, numbers]) => numbers.map((number) => [brand, number] as const)))(
    'knows %s by %s',
    (brand, number) => {
      expect(findCardNumberProblem(number)).toBeUndefined();
      expect(findCardBrand(number)).toBe(brand);
    },
  );

  it.each([
    ['2220999999999999', undefined],
    ['2221000000000000', 'mastercard'],
    ['2720999999999999', 'mastercard'],
    ['2721000000000000', undefined],
    ['2199999999999999', undefined],
    ['2200000000000000', 'mir'],
    ['2204999999999999', 'mir'],
    ['2205000000000000', undefined],
    ['3527999999999999', undefined],
    ['3528000000000000', 'jcb'],
    ['3589999999999999', 'jcb'],
    ['3590000000000000', undefined],
    ['5099999999999999', 'elo'],
    ['5100000000000000', 'mastercard'],
    ['5600000000000000', 'maestro'],
    ['5900000000000000', undefined],
    ['6439999999999999', undefined],
    ['6500300000000000', 'discover'],
    ['6500310000000000', 'elo'],
    ['6500340000000000', 'discover'],
    ['6277790000000000', 'unionpay'],
    ['6277800000000000', 'elo'],
    ['3841000000000000', 'hipercard'],
    ['3841010000000000', 'diners-club'],
    ['4011770000000000', 'visa'],
    ['4011780000000000', 'elo'],
    ['8180000000000000', undefined],
  ])('draws the edge of a range at %s', (number, brand) => {
    expect(findCardBrand(number)).toBe(brand);
  });

  it.each(['', '2', '222', '0000000000000000', '122000000000003', '9792000000000000'])(
    'has no brand for "%s"',
    (number) => {
      expect(findCardBrand(number)).toBeUndefined();
    },
  );
});
