import { createHmac, createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hexOf, readVectors, type Vector } from '../../../test/harness/standard-vectors.ts';
import { decryptGcm, encryptGcm } from './sealing/aes-gcm.ts';
import { hkdfExpand } from './sealing/hkdf-expand.ts';

/**
 * Returns true for vectors with a 96-bit nonce and a 128-bit tag, the sizes that the vault uses. All others must be
 * rejected.
 */
const isOurs = (vector: Vector) => vector.get('IVlen') === '96' && vector.get('Taglen') === '128';
const inputOf = (vector: Vector) => ({
  key: hexOf(vector, 'Key'),
  nonce: hexOf(vector, 'IV'),
  associatedData: hexOf(vector, 'AAD'),
});
const outputOf = (vector: Vector) => ({ ciphertext: hexOf(vector, 'CT'), tag: hexOf(vector, 'Tag') });
const sizesOf = (vector: Vector) =>
  `${vector.get('PTlen')} bits of text, ${vector.get('AADlen')} bits of associated data`;

describe('NIST CAVS, AES-256-GCM encryption', () => {
  const all = readVectors('ciphers/AES/GCM/gcmEncryptExtIV256.rsp', 'Count');
  const groups = Map.groupBy(all.filter(isOurs), sizesOf);

  it('has the vectors that it should', () => {
    expect(all).toHaveLength(7_875);
    expect(groups.values().reduce((sum, vectors) => sum + vectors.length, 0)).toBe(375);
  });

  it.each([...groups])('%s', (_, vectors) => {
    for (const vector of vectors) {
      expect(encryptGcm(hexOf(vector, 'PT'), inputOf(vector))).toEqual(outputOf(vector));
      expect(decryptGcm(outputOf(vector), inputOf(vector))).toEqual(hexOf(vector, 'PT'));
    }
  });

  it('refuses every tag that is shorter than 128 bits, though it is right', () => {
    const shorter = all.filter((vector) => vector.get('IVlen') === '96' && vector.get('Taglen') !== '128');
    expect(shorter).toHaveLength(2_250);
    for (const vector of shorter) expect(decryptGcm(outputOf(vector), inputOf(vector))).toBeUndefined();
  });

  it('refuses every nonce that does not have 96 bits', () => {
    const others = all.filter((vector) => vector.get('IVlen') !== '96');
    expect(others).toHaveLength(5_250);
    for (const vector of others) {
      expect(() => encryptGcm(hexOf(vector, 'PT'), inputOf(vector))).toThrow(TypeError);
      expect(() => decryptGcm(outputOf(vector), inputOf(vector))).toThrow(TypeError);
    }
  });
});

describe('NIST CAVS, AES-256-GCM decryption', () => {
  const ours = readVectors('ciphers/AES/GCM/gcmDecrypt256.rsp', 'Count').filter(isOurs);
  const groups = Map.groupBy(ours, sizesOf);

  it('has the vectors that it should, to be opened and to be refused', () => {
    expect(ours).toHaveLength(375);
    expect(ours.filter((vector) => vector.has('FAIL')).length).toBeGreaterThan(100);
  });

  it.each([...groups])('%s', (_, vectors) => {
    for (const vector of vectors) {
      const expected = vector.has('FAIL') ? undefined : hexOf(vector, 'PT');
      expect(decryptGcm(outputOf(vector), inputOf(vector))).toEqual(expected);
    }
  });
});

describe('RFC 4231, HMAC', () => {
  it.each(['sha256', 'sha512'])('%s', (hash) => {
    const vectors = readVectors(`HMAC/rfc-4231-${hash}.txt`, 'Len');
    expect(vectors).toHaveLength(6);
    for (const vector of vectors) {
      const key = createSecretKey(hexOf(vector, 'Key'));
      expect(createHmac(hash, key).update(hexOf(vector, 'Msg')).digest()).toEqual(hexOf(vector, 'MD'));
    }
  });
});

describe('RFC 5869, HKDF with SHA-256', () => {
  const vectors = readVectors('KDF/rfc-5869-HKDF-SHA256.txt', 'COUNT');

  it('has the three vectors of the appendix', () => {
    expect(vectors).toHaveLength(3);
  });

  it.each(vectors)('expands vector %#', (vector) => {
    const expanded = hkdfExpand(createSecretKey(hexOf(vector, 'PRK')), hexOf(vector, 'info'), {
      hash: 'sha256',
      length: Number(vector.get('L')),
    });
    expect(expanded).toEqual(hexOf(vector, 'OKM'));
  });
});
