import { describe, expect, it } from 'vitest';
import { decodeBase32, encodeBase32 } from './base32.ts';

describe('base32', () => {
  it('has the vectors of RFC 4648 that need no padding', () => {
    expect(encodeBase32(Buffer.from('fooba'))).toBe('MZXW6YTB');
    expect(decodeBase32('MZXW6YTB')).toEqual(Buffer.from('fooba'));
    expect(encodeBase32(Buffer.alloc(0))).toBe('');
  });

  it('brings back every byte', () => {
    const bytes = Buffer.from(Array.from({ length: 255 }, (_, index) => index));
    expect(decodeBase32(encodeBase32(bytes))).toEqual(bytes);
  });

  it.each(['mzxw6ytb', 'MZXW6YT1', 'MZXW 6YTB', 'MZXW6YTB='])('knows nothing of %s', (text) => {
    expect(decodeBase32(text)).toBeUndefined();
  });
});
