import { createHmac, createSecretKey, hkdfSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hkdfExpand } from './hkdf-expand.ts';

const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));
const key = createSecretKey(Buffer.alloc(32, 1));
const info = Buffer.from('info');

describe('hkdfExpand', () => {
  // Extraction is one HMAC (RFC 5869 §2.2), so the complete HKDF can be assembled here and compared with other
  // implementations.
  it.each([
    ['sha256', 32],
    ['sha512', 64],
  ] as const)('is the second half of HKDF as Node has it, with %s', (hash, blockLength) => {
    const lengths = fc.integer({ min: 1, max: 255 * blockLength });
    fc.assert(
      fc.property(bytes(100), bytes(100), bytes(200), lengths, (secret, salt, information, length) => {
        const extracted = createSecretKey(createHmac(hash, salt).update(secret).digest());
        const expected = Buffer.from(hkdfSync(hash, secret, salt, information, length));
        expect(hkdfExpand(extracted, information, { hash, length })).toEqual(expected);
      }),
    );
  });

  it('is the second half of HKDF as WebCrypto has it', async () => {
    const secret = Buffer.from('secret');
    const extracted = createSecretKey(createHmac('sha512', Buffer.alloc(64)).update(secret).digest());
    const imported = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits']);
    const parameters = { name: 'HKDF', hash: 'SHA-512', salt: Buffer.alloc(64), info };
    const expected = Buffer.from(await crypto.subtle.deriveBits(parameters, imported, 1_600));
    expect(hkdfExpand(extracted, info, { hash: 'sha512', length: 200 })).toEqual(expected);
  });

  it('gives one block of SHA-512 as one HMAC, which the record format relies on', () => {
    const block = createHmac('sha512', key).update(info).update(Buffer.of(1)).digest();
    expect(hkdfExpand(key, info, { hash: 'sha512', length: 64 })).toEqual(block);
  });

  it('gives other bytes for another key, another info or another hash', () => {
    const expanded = hkdfExpand(key, info, { hash: 'sha512', length: 32 });
    expect(hkdfExpand(createSecretKey(Buffer.alloc(32, 2)), info, { hash: 'sha512', length: 32 })).not.toEqual(
      expanded,
    );
    expect(hkdfExpand(key, Buffer.from('inf'), { hash: 'sha512', length: 32 })).not.toEqual(expanded);
    expect(hkdfExpand(key, info, { hash: 'sha256', length: 32 })).not.toEqual(expanded);
  });

  it.each([
    ['sha256', 0],
    ['sha256', -1],
    ['sha256', 255 * 32 + 1],
    ['sha512', 0],
    ['sha512', 255 * 64 + 1],
  ] as const)('refuses to give %s %i bytes', (hash, length) => {
    expect(() => hkdfExpand(key, info, { hash, length })).toThrow(RangeError);
  });
});
