import { describe, expect, it } from 'vitest';
import { generateRecoveryCode, parseRecoveryCode } from './recovery-code.ts';

describe('a recovery code', () => {
  it('is four groups of four, and never the same', () => {
    const codes = Array.from({ length: 1_000 }, generateRecoveryCode);
    for (const code of codes) expect(code).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
    expect(new Set(codes).size).toBe(codes.length);
  });

  it.each(['ABCD-EFOI-JKLB-2345', 'abcd efoi jklb 2345', 'ABCDEF0IJKLB2345', ' abcd-ef01-jkl8-2345 '])(
    'is the same however it is typed: %s',
    (typed) => {
      expect(parseRecoveryCode(typed)).toBe('ABCDEFOIJKLB2345');
    },
  );

  it.each([
    '',
    '123456',
    'ABCD-EFGH-IJKL-234',
    'ABCD-EFGH-IJKL-23456',
    'ABCD-EFGH-IJKL-234!',
    'ABCD-EFGH-IJKL-234é',
    'ſ',
  ])('is not %s', (typed) => {
    expect(parseRecoveryCode(typed)).toBeUndefined();
  });
});
