import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBase58, encodeBase58 } from './base58.ts';

describe('base58', () => {
  it('reads back what it wrote', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(decodeBase58(encodeBase58(bytes), bytes.length)).toEqual(bytes);
      }),
    );
  });

  it('writes equal lengths as equal lengths, and only its own letters', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        expect(encodeBase58(bytes)).toMatch(/^[1-9A-HJ-NP-Za-km-z]{44}$/);
      }),
    );
  });

  it('writes each value in one way: whatever it reads, it writes the same', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{11}$/), (text) => {
        const bytes = decodeBase58(text, 8);
        expect(bytes === undefined || encodeBase58(bytes) === text).toBe(true);
      }),
    );
  });

  it.each([
    ['00', '11'],
    ['01', '12'],
    ['ff', '5Q'],
    ['0000', '111'],
    ['ffff', 'LUv'],
    ['68656c6c6f', 'Cn8eVZg'],
  ])('writes %s as others do, padded', (hex, text) => {
    expect(encodeBase58(Buffer.from(hex, 'hex'))).toBe(text);
  });

  it.each([
    ['nothing', ''],
    ['too short', '1'.repeat(43)],
    ['too long', '1'.repeat(45)],
    ['a zero', `0${'1'.repeat(43)}`],
    ['a capital O', `O${'1'.repeat(43)}`],
    ['a capital I', `I${'1'.repeat(43)}`],
    ['a small l', `l${'1'.repeat(43)}`],
    ['a blank', ` ${'1'.repeat(43)}`],
    ['a line end', `${'1'.repeat(43)}\n`],
    ['a letter outside of ASCII', `é${'1'.repeat(43)}`],
    ['a pair of surrogates', `🗝${'1'.repeat(42)}`],
    ['the largest text, which is more than 32 bytes', 'z'.repeat(44)],
  ])('refuses to read 32 bytes from %s', (_, text) => {
    expect(decodeBase58(text, 32)).toBeUndefined();
  });

  it('refuses the first number that is too large, and takes the one before', () => {
    const largest = encodeBase58(new Uint8Array(8).fill(255));
    expect(largest).toBe('jpXCZedGfVQ');
    expect(decodeBase58(largest, 8)).toEqual(new Uint8Array(8).fill(255));
    expect(decodeBase58('jpXCZedGfVR', 8)).toBeUndefined();
  });
});
