import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countCodePoints, isLongerThan } from './code-points.ts';

describe('the length of a text', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['👍👍', 2],
    ['a👍b', 3],
    ['e\u0301', 2],
    ['\ud83d', 1],
    ['\udc4d\ud83d', 2],
    ['\ud83d\ud83d\udc4d', 2],
  ])('of %j is %i', (text, length) => {
    expect(countCodePoints(text)).toBe(length);
  });

  it('is that of its iteration, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'é', '👍', '\ud83d', '\udc4d') }), fc.nat(20), (text, max) => {
        const { length } = [...text];
        expect(countCodePoints(text)).toBe(length);
        expect(isLongerThan(text, max)).toBe(length > max);
      }),
    );
  });
});
