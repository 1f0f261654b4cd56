import { createHmac, createSecretKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { decryptGcm, encryptGcm } from './sealing/aes-gcm.ts';
import { hkdfExpand } from './sealing/hkdf-expand.ts';

/*
 * Project Wycheproof collects inputs on which implementations have failed. Its files are not part of this repository.
 * To run them, set WYCHEPROOF_VECTORS to the folder `testvectors_v1` of a checkout of github.com/C2SP/wycheproof.
 */
const directory = process.env['WYCHEPROOF_VECTORS'];
const files = ['aes_gcm_test.json', 'hkdf_sha512_test.json', 'hmac_sha256_test.json', 'hmac_sha512_test.json'] as const;

/** A test vector. Values are hexadecimal text and sizes are numbers. The members depend on the file. */
type Vector = Readonly<Record<string, string | number>> & { readonly result: string };
interface VectorGroup {
  readonly ivSize?: number;
  readonly keySize?: number;
  readonly tagSize?: number;
  readonly tests: readonly Vector[];
}

function groupsOf(file: (typeof files)[number]): readonly VectorGroup[] {
  if (directory === undefined) return [];
  return (JSON.parse(readFileSync(path.join(directory, file), 'utf8')) as { testGroups: VectorGroup[] }).testGroups;
}

const bytes = (vector: Vector, name: string) => Buffer.from(String(vector[name]), 'hex');
const nameOf = (vector: Vector) => `${vector['tcId']}: ${vector.result}, ${vector['comment']}`;

describe('Project Wycheproof', () => {
  it('runs every file of the folder that is named, and nothing when none is', () => {
    const counts = files.map((file) => groupsOf(file).flatMap(({ tests }) => tests).length);
    expect(counts.every((count) => (directory === undefined ? count === 0 : count > 0))).toBe(true);
  });

  for (const { ivSize, keySize, tagSize, tests } of groupsOf('aes_gcm_test.json')) {
    const isOurs = ivSize === 96 && keySize === 256 && tagSize === 128;
    for (const vector of tests) {
      const input = { key: bytes(vector, 'key'), nonce: bytes(vector, 'iv'), associatedData: bytes(vector, 'aad') };
      const output = { ciphertext: bytes(vector, 'ct'), tag: bytes(vector, 'tag') };
      const plaintext = bytes(vector, 'msg');
      const isValid = vector.result === 'valid';

      it(`AES-GCM ${keySize}/${ivSize}/${tagSize} ${nameOf(vector)}`, () => {
        if (!isOurs) {
          expect(() => encryptGcm(plaintext, input)).toThrow(/^(A GCM nonce has 12 bytes\.|Invalid key length)$/);
          expect(() => decryptGcm(output, input)).toThrow(/^(A GCM nonce has 12 bytes\.|Invalid key length)$/);
          return;
        }
        expect(decryptGcm(output, input)).toEqual(isValid ? plaintext : undefined);
        if (isValid) expect(encryptGcm(plaintext, input)).toEqual(output);
      });
    }
  }

  for (const vector of groupsOf('hkdf_sha512_test.json').flatMap(({ tests }) => tests)) {
    it(`HKDF-SHA-512 ${nameOf(vector)}`, () => {
      const extracted = createHmac('sha512', bytes(vector, 'salt')).update(bytes(vector, 'ikm')).digest();
      const output = { hash: 'sha512', length: Number(vector['size']) } as const;
      const expand = () => hkdfExpand(createSecretKey(extracted), bytes(vector, 'info'), output);
      if (vector.result === 'valid') expect(expand()).toEqual(bytes(vector, 'okm'));
      else expect(expand).toThrow(RangeError);
    });
  }

  for (const hash of ['sha256', 'sha512'] as const) {
    for (const { tagSize = 0, tests } of groupsOf(`hmac_${hash}_test.json`)) {
      for (const vector of tests) {
        it(`HMAC-${hash} cut to ${tagSize} bits ${nameOf(vector)}`, () => {
          const key = createSecretKey(bytes(vector, 'key'));
          const tag = createHmac(hash, key)
            .update(bytes(vector, 'msg'))
            .digest()
            .subarray(0, tagSize / 8);
          expect(tag.equals(bytes(vector, 'tag'))).toBe(vector.result === 'valid');
        });
      }
    }
  }
});
