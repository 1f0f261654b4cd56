import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oddButPlain, refusedAddresses } from '../../../test/harness/hostile-addresses.ts';
import { parseEmailAddress } from './email-address.ts';

describe('parseEmailAddress', () => {
  it.each(oddButPlain)('takes %j as it is', (text) => {
    expect(parseEmailAddress(text)).toBe(text);
  });

  it.each(refusedAddresses)('refuses %j', (text) => {
    expect(parseEmailAddress(text)).toBeUndefined();
  });

  it('takes nothing that a mail program could read as more than one address', () => {
    const dangerous = fc.constantFrom(...'@<>(),;:\\"[]. \r\n\t\0'.split(''), 'é', '\u{1F600}');
    const parts = fc.array(fc.oneof(dangerous, fc.stringMatching(/^[a-z]{1,3}$/)), { maxLength: 12 });
    fc.assert(
      fc.property(parts, (texts) => {
        const text = texts.join('');
        if (parseEmailAddress(text) === undefined) return;
        expect(text).toMatch(/^[a-z]+(\.[a-z]+)*@[a-z]+(\.[a-z]+)+$/);
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes the longest address and nothing longer', () => {
    const ending = `@${`${'a'.repeat(60)}.`.repeat(3)}example`;
    const local = 'b'.repeat(254 - ending.length);
    expect(local.length).toBeLessThanOrEqual(64);
    expect(parseEmailAddress(local + ending)).toBe(local + ending);
    expect(parseEmailAddress(`b${local}${ending}`)).toBeUndefined();
  });
});
