import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lengthPrefixed } from './aes-gcm.ts';

const lists = fc.array(fc.string({ unit: 'grapheme', maxLength: 5 }), { maxLength: 5 });

describe('lengthPrefixed', () => {
  it('writes each part after its length in bytes', () => {
    const parts = ['000000026162', '00000002c3a9', '0000000137', '00000000'];
    expect(lengthPrefixed(['ab', 'é', 7, '']).toString('hex')).toBe(parts.join(''));
  });

  it('gives no two lists the same bytes', () => {
    fc.assert(
      fc.property(lists, lists, (one, two) => {
        expect(lengthPrefixed(one).equals(lengthPrefixed(two))).toBe(JSON.stringify(one) === JSON.stringify(two));
      }),
    );
  });

  it.each([
    [
      ['ab', 'c'],
      ['a', 'bc'],
    ],
    [['a', ''], ['a']],
    [
      ['', 'a'],
      ['a', ''],
    ],
    [['a\0\0\0\u0001b'], ['a', 'b']],
    [[], ['']],
  ])('keeps %j and %j apart', (one, two) => {
    expect(lengthPrefixed(one)).not.toEqual(lengthPrefixed(two));
  });
});
