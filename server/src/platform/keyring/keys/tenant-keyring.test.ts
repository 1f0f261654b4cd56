import { createSecretKey, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TenantId } from '../../../core/identity/ids.ts';
import { SealedRecordError, type VersionedKey } from '../sealing/sealed-record.ts';
import { TenantKeyring, type TenantKeys } from './tenant-keyring.ts';

const [alpha, beta] = [crypto.randomUUID() as TenantId, crypto.randomUUID() as TenantId];
const binding = { tokenId: 'token', field: 'data', recordVersion: 1, type: 'token' };
const newKey = (version = 1): VersionedKey => ({ version, key: createSecretKey(randomBytes(32)) });
const newKeys = (): TenantKeys => ({ data: [newKey()], fingerprint: [newKey()], index: [newKey()] });
const keys = newKeys();
const keyring = new TenantKeyring(alpha, keys);
const other = new TenantKeyring(beta, newKeys());

describe('seal and open', () => {
  it('gives back the exact text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 500 }), (text) => {
        expect(keyring.open(keyring.seal(text, binding), binding)).toBe(text);
      }),
    );
  });

  it('seals under the newest key and opens what the older ones sealed', () => {
    const [first, second, third] = [newKey(1), newKey(2), newKey(3)];
    const old = new TenantKeyring(alpha, { ...keys, data: [first] }).seal('old', binding);
    const rotated = new TenantKeyring(alpha, { ...keys, data: [second, third, first] });
    expect(rotated.seal('new', binding).readUInt32BE(2)).toBe(3);
    expect(rotated.open(old, binding)).toBe('old');
  });

  it('knows which records it has the key for', () => {
    const record = new TenantKeyring(alpha, { ...keys, data: [newKey(2)] }).seal('new', binding);
    expect(keyring.canOpen(keyring.seal('mine', binding))).toBe(true);
    expect(keyring.canOpen(record)).toBe(false);
    expect(() => keyring.open(record, binding)).toThrow(SealedRecordError);
  });

  it('opens no record of another tenant', () => {
    expect(() => other.open(keyring.seal('text', binding), binding)).toThrow(SealedRecordError);
  });

  it('opens no record of another tenant even under the same keys', () => {
    const twin = new TenantKeyring(beta, keys);
    expect(() => twin.open(keyring.seal('text', binding), binding)).toThrow(SealedRecordError);
  });

  it.each([{ tokenId: 'another' }, { field: 'mask' }, { recordVersion: 2 }, { type: 'card' }])(
    'opens no record moved to %o',
    (moved) => {
      expect(() => keyring.open(keyring.seal('text', binding), { ...binding, ...moved })).toThrow(SealedRecordError);
    },
  );

  it.each(['data', 'fingerprint', 'index'] as const)('is not made without a %s key', (purpose) => {
    expect(() => new TenantKeyring(alpha, { ...keys, [purpose]: [] })).toThrow('no key');
  });
});

describe('fingerprint', () => {
  const fingerprint = keyring.fingerprint('card', '4242424242424242');

  it('is equal for equal contents of a type, in every process', () => {
    expect(new TenantKeyring(alpha, keys).fingerprint('card', '4242424242424242')).toBe(fingerprint);
  });

  it('is base58 and at most 100 characters, whatever the content', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ maxLength: 2_000 }), (type, content) => {
        expect(keyring.fingerprint(type, content)).toMatch(/^[1-9A-HJ-NP-Za-km-z]{44}$/);
      }),
    );
  });

  it('is another in another tenant', () => {
    expect(other.fingerprint('card', '4242424242424242')).not.toBe(fingerprint);
  });

  it('is another for another type or another content', () => {
    expect(keyring.fingerprint('token', '4242424242424242')).not.toBe(fingerprint);
    expect(keyring.fingerprint('card', '4242424242424241')).not.toBe(fingerprint);
    expect(keyring.fingerprint('card', '')).not.toBe(fingerprint);
  });

  it('keeps type and content apart', () => {
    expect(keyring.fingerprint('card4', '242424242424242')).not.toBe(fingerprint);
    expect(keyring.fingerprint('car', 'd4242424242424242')).not.toBe(fingerprint);
  });

  it('does not follow the data key', () => {
    const rotated = new TenantKeyring(alpha, { ...keys, data: [...keys.data, newKey(2)] });
    expect(rotated.fingerprint('card', '4242424242424242')).toBe(fingerprint);
  });
});

describe('blindIndex', () => {
  const index = keyring.blindIndex('data', '4242');

  it('is equal for equal values, in every process', () => {
    expect(new TenantKeyring(alpha, keys).blindIndex('data', '4242')).toEqual(index);
  });

  it('is 128 bits that hold nothing of the value', () => {
    expect(index).toHaveLength(16);
    expect(index.includes('4242')).toBe(false);
  });

  it('is another in another tenant', () => {
    expect(other.blindIndex('data', '4242')).not.toEqual(index);
  });

  it.each(['4243', '424', '42424', ' 4242', ''])('is another for %j', (value) => {
    expect(keyring.blindIndex('data', value)).not.toEqual(index);
  });

  it('is another for another kind', () => {
    expect(keyring.blindIndex('metadata', '4242')).not.toEqual(index);
  });

  it('keeps the parts of a value apart', () => {
    const pair = keyring.blindIndex('metadata', 'colour', 'red');
    expect(keyring.blindIndex('metadata', 'colou', 'rred')).not.toEqual(pair);
    expect(keyring.blindIndex('metadata', 'red', 'colour')).not.toEqual(pair);
    expect(keyring.blindIndex('metadata', 'colourred')).not.toEqual(pair);
  });

  it('follows the index key and no other', () => {
    const rotated = new TenantKeyring(alpha, { ...newKeys(), index: keys.index });
    expect(rotated.blindIndex('data', '4242')).toEqual(index);
    expect(new TenantKeyring(alpha, { ...keys, index: [newKey()] }).blindIndex('data', '4242')).not.toEqual(index);
  });
});
