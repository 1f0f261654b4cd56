import { describe, expect, it } from 'vitest';
import { computeTotp, findTotpStep, generateTotpSecret, toTotpUri } from './totp.ts';

/** The secret `12345678901234567890` from RFC 6238, appendix B, in base32. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const at = (seconds: number) => new Date(seconds * 1_000);

describe('TOTP', () => {
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('is at second %d what RFC 6238 says', (seconds, code) => {
    expect(computeTotp(secret, Math.floor(seconds / 30))).toBe(code);
    expect(findTotpStep(secret, code, at(seconds))).toBe(Math.floor(seconds / 30));
  });

  it('takes the code of the step before and after, and no other', () => {
    const code = computeTotp(secret, 100);
    expect([-2, -1, 0, 1, 2].map((steps) => findTotpStep(secret, code, at((100 + steps) * 30)))).toEqual([
      undefined,
      100,
      100,
      100,
      undefined,
    ]);
  });

  it.each(['', '28708', '2870821', '287083', '28708２', ' 287082', '287082 ', 'abcdef', '-87082', '0x1234'])(
    'refuses %j',
    (code) => {
      expect(findTotpStep(secret, code, at(59))).toBeUndefined();
    },
  );

  it('makes secrets of 160 bits that apps can read', () => {
    const made = generateTotpSecret();
    expect(made).toMatch(/^[A-Z2-7]{32}$/);
    expect(generateTotpSecret()).not.toBe(made);
    expect(toTotpUri(made, 'a b@example.com')).toBe(
      `otpauth://totp/Strongroom%3Aa%20b%40example.com?secret=${made}&issuer=Strongroom`,
    );
  });
});
