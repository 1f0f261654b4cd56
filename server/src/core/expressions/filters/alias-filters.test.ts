import { randomInt } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ExpressionTools } from '../expression-tools.ts';
import { compileTemplate, evaluateTemplateAsText } from '../template.ts';

const noDigest = () => new Uint8Array();
const realTools: ExpressionTools = { hmac: noDigest, randomInt: (maxExclusive) => randomInt(maxExclusive) };

const apply = (chain: string, data: string | number, tools = realTools) =>
  evaluateTemplateAsText(compileTemplate(`{{ data | ${chain} }}`), { data }, tools);

/** Draws exactly the characters of the value, so that the alias would equal it. */
const drawing = (text: string, alphabet: string): ExpressionTools => {
  const characters = Array.from(text);
  return {
    hmac: noDigest,
    randomInt: (maxExclusive) => {
      const index = alphabet.indexOf(characters.shift() ?? '');
      return index === -1 || index >= maxExclusive ? 0 : index;
    },
  };
};

const digits = '0123456789';

describe('alias filters', () => {
  it.each([
    ['alias_card', '3622720627165567', /^\d{16}$/],
    ["alias_card: 'false', 'false'", '3622720627165567', /^\d{16}$/],
    ["alias_card: 'true', 'false'", '3622720627165567', /^36227206\d{8}$/],
    ['alias_card: true, true', '3622720627165567', /^36227206\d{4}5567$/],
    ["alias_card: 'false', 'true'", '3622720627165567', /^\d{12}5567$/],
    ["alias_card: 'true', 'true'", '3622-7206-2716-5567', /^3622-7206-\d{4}-5567$/],
    ['alias_card: true', '3622 7206 2716 5567', /^3622 7206 \d{4} \d{4}$/],
    ['alias_card: true, true', '378282246310005', /^378282\d{5}0005$/],
    ['alias_preserve_format', 'ABC12345DEF67890', /^[a-z]{3}\d{5}[a-z]{3}\d{5}$/],
    ['alias_preserve_format: 3', 'ABC12345DEF67890', /^ABC\d{5}[a-z]{3}\d{5}$/],
    ['alias_preserve_format: 0, 5', 'ABC12345DEF67890', /^[a-z]{3}\d{5}[a-z]{3}67890$/],
    ['alias_preserve_format: 0, 4', '111-22-3333', /^\d{3}-\d{2}-3333$/],
    ['alias_preserve_format', 'José 李-7', /^[a-z]{4} [a-z]-\d$/],
    ['alias_preserve_length', 'ABC-2345 DEF6789', /^[a-z0-9]{16}$/],
    ['alias_preserve_length: 3, 5', 'ABC12345DEF67890', /^ABC[a-z0-9]{8}67890$/],
    ['alias_preserve_length', 4242424242424242, /^[a-z0-9]{16}$/],
  ])('%s of %s matches %s', (chain, data, pattern) => {
    for (let round = 0; round < 50; round += 1) expect(apply(chain, data)).toMatch(pattern);
  });

  it('never returns the value, even when chance draws it', () => {
    expect(apply('alias_card', '4242424242424242', drawing('4242424242424242', digits))).not.toBe('4242424242424242');
    expect(apply('alias_card: true, true', '4242424242424242', drawing('4242', digits))).not.toBe('4242424242424242');
    const letters = drawing('secret', 'abcdefghijklmnopqrstuvwxyz');
    expect(apply('alias_preserve_format', 'SECRET', letters).toLowerCase()).not.toBe('secret');
    const length = drawing('a1', '0123456789abcdefghijklmnopqrstuvwxyz');
    expect(apply('alias_preserve_length', 'a1', length)).not.toBe('a1');
  });

  it('never returns the value, whatever is revealed', () => {
    const text = fc.string({ unit: fc.constantFrom(...Array.from('ab1-é 😀')), minLength: 1, maxLength: 12 });
    const count = fc.nat({ max: 14 });
    const name = fc.constantFrom('alias_preserve_format', 'alias_preserve_length');
    fc.assert(
      fc.property(name, text, count, count, (filter, value, first, last) => {
        fc.pre(filter === 'alias_preserve_length' || /[ab1é😀]/u.test(value));
        const alias = apply(`${filter}: ${first}, ${last}`, value);
        expect(alias).not.toBe(value);
        expect(Array.from(alias)).toHaveLength(Array.from(value).length);
      }),
    );
  });

  it.each([
    ['alias_preserve_format: 3, 3', '123-456', '000-000'],
    ['alias_preserve_length: 4, 4', 'abcdef', '000000'],
    ['alias_preserve_length: 99', 'abcdef', '000000'],
  ])('%s reveals nothing of %s, all of which it would show', (chain, data, expected) => {
    expect(apply(chain, data, { hmac: noDigest, randomInt: () => 0 })).toBe(expected);
  });

  it.each([
    ['alias_card: true, true', '1234567890'],
    ['alias_card: true', '123456'],
    ['alias_card: false, true', '1234'],
    ['alias_card', '- -'],
    ['alias_card', ''],
    ['alias_preserve_format', '---'],
    ['alias_preserve_length', ''],
  ])('%s refuses %j, of which nothing could be replaced', (chain, data) => {
    expect(() => apply(chain, data)).toThrow(expect.objectContaining({ reason: 'nothing-to-alias' }));
  });

  it('refuses a value longer than any id', () => {
    expect(() => apply('alias_preserve_length', 'a'.repeat(401))).toThrow(
      expect.objectContaining({ reason: 'output-too-large' }),
    );
    expect(apply('alias_preserve_length', 'a'.repeat(400))).toHaveLength(400);
  });
});
