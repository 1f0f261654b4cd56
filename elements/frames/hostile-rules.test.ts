import { describe, expect, it } from 'vitest';
import { IdempotencyKeys } from './controller/idempotency-keys.ts';
import { KeptValues } from './controller/kept-values.ts';
import { SessionHandles } from './controller/session-handles.ts';
import { requireHarmless, requireHarmlessMask } from './controller/token-request.ts';
import { isToken } from './controller/token-response.ts';
import { UsedNumbers } from './controller/used-numbers.ts';
import { createFreeTextKind } from './field/kinds/free-text.ts';
import { findCardType } from './field/kinds/card-number.ts';
import { maskedForPatterns } from './field/safe-pattern.ts';
import { isSafeReplacement, transformText } from './field/safe-transform.ts';
import { makeCardNumber } from '../../server/test/harness/card-number.ts';

const pattern = (source: string) => ({ source, flags: '' });

describe('a rule of the page', () => {
  it.each([
    ['\\d{4}$', ''],
    ['^\\d{8}', ''],
    ['.', ''],
    ['\\d', '-'],
    ['$|^|(?=5)', ''],
  ])('leaves every digit where it is: %s', (source, replacement) => {
    const number = makeCardNumber();
    const typed = number.replaceAll(/.{4}(?=.)/g, '$& ');
    const transformed = transformText(typed, { pattern: pattern(source), replacement });
    expect(transformed.replaceAll(/\D/g, '')).toBe(number);
  });

  it('still takes separators out of what was typed', () => {
    const strip = { pattern: pattern('[^\\d]'), replacement: '' };
    expect(transformText('(151) 2345-6789', strip)).toBe('15123456789');
    expect(transformText('4242 4242', { pattern: pattern(' '), replacement: '-' })).toBe('4242-4242');
  });

  it('cannot look at a digit behind the BIN to decide about something else', () => {
    const transform = { pattern: pattern('-(?=\\d{8}5)'), replacement: '' };
    for (const number of ['4242424245424242', '4242424246424242'])
      expect(transformText(`-${number}`, transform)).toBe(`-${number}`);
  });

  it('cannot add letters or digits that would make a short value long', () => {
    expect(['', '-', ' / ', '…'].map(isSafeReplacement)).toEqual([true, true, true, true]);
    expect(['1', 'x', 'ä', '٣', '- 0'].map(isSafeReplacement)).toEqual([false, false, false, false, false]);
    const token = { data: { code: '---------123' }, mask: '{{ data.code | reveal_last: 4 }}' };
    expect(() => requireHarmlessMask(token)).toThrow('longer than 8');
  });

  it('sees six digits of a short number, and eight of one with sixteen', () => {
    expect(maskedForPatterns('371449635398431')).toBe('371449000000000');
    expect(maskedForPatterns('4242424242424242')).toBe('4242424200000000');
    const type = { niceType: 'X', lengths: [15, 16], gaps: [4], code: { name: 'X', size: 3 } };
    const cardTypes = [
      { ...type, type: 'seventh', patterns: [3714496] },
      { ...type, type: 'sixth', patterns: [371449] },
    ];
    expect(findCardType('371449635398431', { cardTypes })?.type).toBe('sixth');
    expect(findCardType('3714496353984310', { cardTypes })?.type).toBe('seventh');
  });

  it('counts the digits that a mask drops', () => {
    const last = createFreeTextKind({ mask: [pattern('[5-9]')] });
    // After the BIN, a five looks like a zero.
    expect(last.clean('4242424244444445')).toBe('');
    expect(last.clean('4242424544444444')).toBe('5');
  });
});

describe('a controller', () => {
  it('sees the same tokens in a payload as the vault', () => {
    expect(isToken({ type: { $element: '1' }, data: 'x' })).toBe(true);
    expect(isToken({ type: 5, data: undefined })).toBe(true);
    expect(() => requireHarmless({ type: { $element: '1' }, data: 'x' })).toThrow('inside data');
  });

  it.each(['{{ data | slice: 8, 1 }}', '{{ data.number | last4 }}', '{{ data.a }}{{ data.b | first }}', '{{ data['])(
    'refuses a fingerprint of a part: %s',
    (fingerprint_expression) => {
      expect(() => requireHarmless({ data: 'x', fingerprint_expression })).toThrow('whole members');
    },
  );

  it.each(['{{ data }}', '{{ data.number }}', '{{data.a}}|{{ data.b }}'])(
    'allows a fingerprint of the whole: %s',
    (fingerprint_expression) => {
      expect(() => requireHarmless({ data: 'x', fingerprint_expression })).not.toThrow();
    },
  );

  it('shows of numbers that begin alike one', () => {
    const used = new UsedNumbers();
    const number = makeCardNumber();
    expect(used.continues([number])).toBe(false);
    const added = used.add([number.slice(0, 13)]);
    expect([number, number.slice(0, 12), `x ${number}`].map((text) => used.continues([text]))).toEqual([
      true,
      true,
      true,
    ]);
    expect(
      [number.slice(0, 13), makeCardNumber(), number.slice(0, 8), 'text'].map((text) => used.continues([text])),
    ).toEqual([false, false, false, false]);
    used.remove(added);
    expect(used.continues([number])).toBe(false);
  });

  it('gives the vault keys that the page does not know', () => {
    const keys = new IdempotencyKeys();
    expect(keys.of('mine')).toBe(keys.of('mine'));
    expect(keys.of('mine')).not.toContain('mine');
    expect(keys.of('mine')).not.toBe(new IdempotencyKeys().of('mine'));
  });

  it('uses no key that the page brings later', () => {
    const sessions = new SessionHandles();
    const handle = sessions.keep('key_test_sess_a_b');
    expect(sessions.find(handle, 'own')).toBe('key_test_sess_a_b');
    expect(() => sessions.find('key_test_sess_a_b', 'own')).toThrow('sessions.create');
  });

  it('shows no number that a destination has sent as a name', () => {
    const number = makeCardNumber();
    const kept = new KeptValues();
    const shown = kept.keep({ [number]: 'a', deep: [{ [`card ${number}`]: 'b' }] });
    expect(JSON.stringify(shown)).not.toContain(number);
    const [reference] = Object.values(shown as object);
    expect(kept.find(reference)).toEqual({ kind: 'text', text: 'a' });
  });
});
