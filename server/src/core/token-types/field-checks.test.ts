import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { passesLuhn } from './field-checks.ts';

describe('passesLuhn', () => {
  it.each(['4242424242424242', '378282246310005', '6799990100000000019', '79927398713', '0'])(
    'accepts %s',
    (digits) => {
      expect(passesLuhn(digits)).toBe(true);
    },
  );

  it.each(['4242424242424241', '378282246310006', '79927398710', '1'])('refuses %s', (digits) => {
    expect(passesLuhn(digits)).toBe(false);
  });

  it('notices every change of a single digit', () => {
    const digit = fc.integer({ min: 0, max: 9 });
    fc.assert(
      fc.property(fc.nat({ max: 15 }), digit, (place, replacement) => {
        const digits = '4242424242424242';
        const changed = digits.slice(0, place) + replacement + digits.slice(place + 1);
        expect(passesLuhn(changed)).toBe(changed === digits);
      }),
    );
  });
});
