import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ExpressionTools } from '../expression-tools.ts';
import { compileTemplate, evaluateTemplateAsText } from '../template.ts';

const tools: ExpressionTools = {
  hmac: () => new Uint8Array(),
  randomInt: () => 0,
};

const apply = (chain: string, data: string) =>
  evaluateTemplateAsText(compileTemplate(`{{ data | ${chain} }}`), { data }, tools);

const secret = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
const count = fc.nat({ max: 45 });
const digit = fc.constantFrom(...Array.from('0123456789- '));

describe('mask filters', () => {
  it('reveal_last keeps the length and shows no more than the last n and dashes', () => {
    fc.assert(
      fc.property(secret, count, (text, n) => {
        const characters = Array.from(text);
        const masked = Array.from(apply(`reveal_last: ${n}, '●'`, text));

        expect(masked).toHaveLength(characters.length);
        expect(masked.slice(characters.length - Math.min(n, characters.length))).toEqual(
          n === 0 ? [] : characters.slice(-n),
        );
        const hidden = masked.slice(0, Math.max(characters.length - n, 0));
        expect(hidden.every((character) => character === '●' || character === '-')).toBe(true);
      }),
    );
  });

  it('reveal keeps the length, shows only the ends and never the whole', () => {
    fc.assert(
      fc.property(secret, count, count, (text, first, last) => {
        const characters = Array.from(text);
        const masked = Array.from(apply(`reveal: ${first}, ${last}, '●'`, text));

        expect(masked).toHaveLength(characters.length);
        const hiddenCount = masked.filter((character) => character === '●').length;
        expect(hiddenCount).toBeGreaterThanOrEqual(1);
        const isCovered = first + last >= characters.length;
        expect(hiddenCount).toBeGreaterThanOrEqual(isCovered ? characters.length : characters.length - first - last);
      }),
    );
  });

  it('card_mask never returns the number, however short it is and whatever is preserved', () => {
    const digits = fc.string({ unit: digit, minLength: 1, maxLength: 24 });
    const preserved = fc.string({ unit: digit, maxLength: 12 });
    fc.assert(
      fc.property(digits, preserved, fc.boolean(), fc.boolean(), (text, kept, bin, last4) => {
        const masked = apply(`card_mask: ${bin}, ${last4}, '●', '${kept}'`, text);
        expect(masked).not.toBe(text);
        expect(masked).toHaveLength(text.length);
      }),
    );
  });

  it.each([
    ["reveal: 0, 0, 'X', '0123456789'", '4242', 'XXXX'],
    ["reveal: 2, 2, 'X', '-'", '12-34', 'XX-XX'],
    ["card_mask: false, false, 'X', '0123456789'", '4242424242424242', 'XXXXXXXXXXXXXXXX'],
    ['card_mask: true, true', '1234567890', 'XXXXXXXXXX'],
    ["card_mask: true, true, 'X', '-'", '123456-7890', 'XXXXXX-XXXX'],
    ['card_mask: false, true', '1234', 'XXXX'],
  ])('%s hides everything where it would show everything of %s', (chain, data, expected) => {
    expect(apply(chain, data)).toBe(expected);
  });

  it('never cuts a character in half', () => {
    expect(apply('reveal_last: 1', '😀😀')).toBe('X😀');
    expect(apply('reveal: 1, 0', '😀😀')).toBe('😀X');
    expect(apply('last4', '😀😀😀😀😀a')).toBe('😀😀😀a');
    expect(apply('slice: 1', 'a😀b')).toBe('😀');
  });
});
