import { describe, expect, it } from 'vitest';
import { createCardNumberKind, findCardType } from './card-number.ts';
import { createExpirationDateKind } from './expiration-date.ts';
import { createFreeTextKind } from './free-text.ts';
import { createVerificationCodeKind } from './verification-code.ts';
import { isSafePattern, maskedForPatterns } from '../safe-pattern.ts';
import { ShownDigits } from '../shown-digits.ts';
import { findCardBrand } from '../../../../server/src/core/token-types/card-number.ts';
import { cardNumbers, numberOf } from '../../../../server/test/harness/card-numbers.ts';

const now = new Date('2026-11-16T12:00:00');

describe('a card number', () => {
  const kind = createCardNumberKind({});

  it.each(cardNumbers)(
    'of $brand with $length digits is complete, grouped, and of its brand',
    ({ brand, number, groups }) => {
      expect(kind.clean(number)).toBe(number);
      expect(kind.judge(number, now)).toEqual({ isComplete: true });
      expect(findCardType(number, {})?.type).toBe(brand);
      expect(kind.show(number)).toBe(groups);
    },
  );

  it.each(cardNumbers)('of $brand with $length digits and one wrong digit is invalid or incomplete', ({ number }) => {
    const wrong = `${number.slice(0, -1)}${(Number(number.at(-1)) + 1) % 10}`;
    expect(kind.judge(wrong, now).isComplete).toBe(false);
  });

  it('has the brand that the vault itself finds', () => {
    for (const { number } of cardNumbers) {
      const brand = findCardBrand(number);
      if (brand !== undefined) expect(findCardType(number, {})?.type).toBe(brand);
    }
  });

  it('keeps the digits of anything that is pasted', () => {
    expect(kind.clean(' 4242-4242 4242.4242\n')).toBe('4242424242424242');
    expect(kind.clean('4242 4242 4242 4242 4242 4242')).toHaveLength(19);
  });
});

describe('an expiration date', () => {
  const kind = createExpirationDateKind({});

  it.each([
    ['12/2030', '1230'],
    ['12 / 30', '1230'],
    ['2030-12', '1230'],
    ['2030-1', '0130'],
    ['122030', '1230'],
    ['1/30', '0130'],
    ['1/2030', '0130'],
    ['3', '03'],
    ['330', '0330'],
    ['1230', '1230'],
  ])('understands %s', (text, kept) => {
    expect(kind.clean(text)).toBe(kept);
  });

  it.each([
    ['1126', { isComplete: true }],
    ['1026', { isComplete: false, error: 'invalid' }],
    ['1326', { isComplete: false, error: 'invalid' }],
    ['12', { isComplete: false, error: 'incomplete' }],
    ['12203', { isComplete: false, error: 'incomplete' }],
  ])('judges %s', (kept, judgement) => {
    expect(kind.judge(kept, now)).toEqual(judgement);
  });

  it('accepts cards that expired in the years that the page allows', () => {
    expect(createExpirationDateKind({ maxElapsedExpirationYear: 2 }).judge('0124', now)).toEqual({ isComplete: true });
    expect(createExpirationDateKind({ maxElapsedExpirationYear: 2 }).judge('0123', now)).toMatchObject({
      error: 'invalid',
    });
  });
});

describe('a verification code', () => {
  it('is as long as the brand says', () => {
    const amex = createVerificationCodeKind({ cardBrand: 'american-express' });
    const visa = createVerificationCodeKind({ cardBrand: 'visa' });
    expect([amex.judge('123', now).isComplete, amex.judge('1234', now).isComplete]).toEqual([false, true]);
    expect([visa.clean('12345'), visa.judge('123', now).isComplete]).toEqual(['123', true]);
    expect(createVerificationCodeKind({}).judge('1234', now).isComplete).toBe(true);
  });

  it('is not shortened by the brand of a number in another element, but judged by it', () => {
    const besideVisa = createVerificationCodeKind({ brandBeside: 'visa' });
    const besideAmex = createVerificationCodeKind({ brandBeside: 'american-express' });
    expect(besideVisa.clean('1234')).toBe('1234');
    expect(besideVisa.judge('1234', now)).toMatchObject({ error: 'invalid' });
    expect(besideAmex.judge('123', now)).toMatchObject({ error: 'incomplete' });
    const ownBrand = createVerificationCodeKind({ cardBrand: 'american-express', brandBeside: 'visa' });
    expect(ownBrand.judge('1234', now).isComplete).toBe(true);
  });
});

describe('a text', () => {
  const digit = { source: '\\d', flags: '' };
  const phone = createFreeTextKind({ mask: ['(', digit, digit, ')', ' ', digit, digit] });

  it.each([
    ['1', '(1'],
    ['12', '(12'],
    ['123', '(12) 3'],
    ['(12) 34', '(12) 34'],
    ['ab1x2y3z4', '(12) 34'],
    ['', ''],
  ])('fits %s into its mask', (text, fitted) => {
    expect(phone.clean(text)).toBe(fitted);
  });

  it('tells patterns of the page apart eight digits and no more', () => {
    expect(maskedForPatterns('4242 4242 4242 4242')).toBe('4242 4242 0000 0000');
    const asks = createFreeTextKind({ validation: { source: '^\\d{15}5$', flags: '' } });
    expect(asks.judge('4242424242424245', now)).toMatchObject({ error: 'invalid' });
    expect(
      createFreeTextKind({ validation: { source: '^4242\\d{12}$', flags: '' } }).judge('4242424242424245', now),
    ).toMatchObject({
      isComplete: true,
    });
  });

  it.each(['(a+)+$', '(a|a)*$', '((a)+)*', '(?<=a)b', '(a)\\1', '(', '([a-z]+)*', '(x{2}){3}'])(
    'refuses the pattern %s',
    (source) => {
      expect(isSafePattern({ source, flags: '' })).toBe(false);
    },
  );

  it.each(['^\\d{3}-?\\d{4}$', '[a-z(+]+', '^(?:abc)?$', 'a|b', '^[^@]+@[^@]+$'])(
    'accepts the pattern %s',
    (source) => {
      expect(isSafePattern({ source, flags: 'i' })).toBe(true);
    },
  );
});

describe('what a page is told of a number', () => {
  /**
   * Returns everything that the page is told while a number is typed digit by digit and the page moves the focus away
   * after each digit.
   */
  function typed(number: string, isFocused: (length: number) => boolean): string[] {
    const shown = new ShownDigits();
    return [...number].flatMap((_, index) => {
      const { cardBin, cardLast4 } = shown.of(number.slice(0, index + 1), isFocused(index + 1));
      return cardBin === undefined ? [] : [`${cardBin}…${cardLast4 ?? ''}`];
    });
  }

  it.each(cardNumbers)('of $brand with $length digits: one BIN and one end, whatever the page does', ({ number }) => {
    expect(new Set(typed(number, () => false)).size).toBeLessThanOrEqual(1);
    expect(new Set(typed(number, () => true)).size).toBeLessThanOrEqual(1);
  });

  it('waits for the end of a number that could go on', () => {
    const visa13 = numberOf('4', 13);
    expect(typed(visa13, () => true)).toEqual([]);
    expect(new ShownDigits().of(visa13, false)).toEqual({ cardBin: visa13.slice(0, 6), cardLast4: visa13.slice(-4) });
  });

  it('says nothing about a number that was changed, until the field has been empty', () => {
    const shown = new ShownDigits();
    expect(shown.of('4242424242424242', true)).toEqual({ cardBin: '42424242', cardLast4: '4242' });
    expect(shown.of('4000056655665556', true)).toEqual({});
    expect(shown.of('', true)).toEqual({});
    expect(shown.of('4000056655665556', true)).toEqual({ cardBin: '40000566', cardLast4: '5556' });
  });
});
