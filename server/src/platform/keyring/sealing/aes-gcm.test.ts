import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decryptGcm, encryptGcm } from './aes-gcm.ts';

const input = { key: createSecretKey(randomBytes(32)), nonce: randomBytes(12), associatedData: Buffer.from('row 1') };
const plaintext = Buffer.from('4242424242424242');
const output = encryptGcm(plaintext, input);

describe('AES-256-GCM', () => {
  it('gives back what it encrypted, under a key object or its bytes', () => {
    expect(decryptGcm(output, input)).toEqual(plaintext);
    expect(decryptGcm(output, { ...input, key: input.key.export() })).toEqual(plaintext);
  });

  it('makes a tag of 16 bytes', () => {
    expect(output.tag).toHaveLength(16);
  });

  it.each([0, 4, 8, 12, 13, 14, 15])('refuses the right tag cut to %i bytes', (length) => {
    expect(decryptGcm({ ...output, tag: output.tag.subarray(0, length) }, input)).toBeUndefined();
  });

  it('refuses the right tag made longer', () => {
    expect(decryptGcm({ ...output, tag: Buffer.concat([output.tag, Buffer.alloc(1)]) }, input)).toBeUndefined();
  });

  it.each([
    ['key', { key: createSecretKey(randomBytes(32)) }],
    ['nonce', { nonce: randomBytes(12) }],
    ['associated data', { associatedData: Buffer.from('row 2') }],
    ['no associated data', { associatedData: Buffer.alloc(0) }],
  ])('refuses another %s', (_, changed) => {
    expect(decryptGcm(output, { ...input, ...changed })).toBeUndefined();
  });

  it.each([0, 1, 8, 11, 13, 16])('takes no nonce of %i bytes', (length) => {
    const nonce = Buffer.alloc(length);
    expect(() => encryptGcm(plaintext, { ...input, nonce })).toThrow(TypeError);
    expect(() => decryptGcm(output, { ...input, nonce })).toThrow(TypeError);
  });

  it.each([0, 16, 24, 31, 33])('takes no key of %i bytes', (length) => {
    const key = Buffer.alloc(length);
    expect(() => encryptGcm(plaintext, { ...input, key })).toThrow(RangeError);
    expect(() => decryptGcm(output, { ...input, key })).toThrow(RangeError);
  });
});
