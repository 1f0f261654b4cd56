import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  keyVersionOf,
  openRecord,
  type RecordBinding,
  SealedRecordError,
  sealRecord,
  sealRecordWithSalt,
} from './sealed-record.ts';

const under = { key: createSecretKey(randomBytes(32)), version: 7 };
const binding: RecordBinding = {
  tenantId: 'c0ffee00-0000-4000-8000-000000000001',
  tokenId: 'd2c1a6b8-6a51-4f0c-9d2e-8f7b6a5c4d3e',
  field: 'data',
  recordVersion: 3,
  type: 'card',
};
const plaintext = Buffer.from('{"number":"4242424242424242"}');
const record = sealRecord(plaintext, binding, under);

function expectRefused(bytes: Buffer, at: RecordBinding = binding, key = under): void {
  let failure: unknown;
  try {
    openRecord(bytes, at, key);
  } catch (error) {
    failure = error;
  }
  // All failures have one class, one message and no other properties, so the cause cannot be determined from an error.
  expect(failure).toBeInstanceOf(SealedRecordError);
  expect(failure).toMatchObject({ message: new SealedRecordError().message });
  expect(failure).not.toHaveProperty('cause');
}

describe('sealRecord', () => {
  it.each([0, 1, 15, 16, 17, 1_000, 65_536])('seals %i bytes that openRecord gives back', (length) => {
    const bytes = randomBytes(length);
    const sealed = sealRecord(bytes, binding, under);
    expect(sealed).toHaveLength(62 + length + 16);
    expect(openRecord(sealed, binding, under)).toEqual(bytes);
  });

  it('gives other bytes every time', () => {
    const made = Array.from({ length: 100 }, () => sealRecord(plaintext, binding, under));
    const different = (from: number, to: number) => new Set(made.map((bytes) => bytes.toString('hex', from, to))).size;
    expect([different(6, 30), different(30, 62), different(62, 62 + plaintext.length)]).toEqual([100, 100, 100]);
  });

  it('leaves no trace of the plaintext', () => {
    const text = Buffer.from('4242424242424242'.repeat(8));
    const sealed = sealRecord(text, binding, under);
    for (let start = 0; start + 4 <= 16; start += 1)
      expect(sealed.includes(text.subarray(start, start + 4))).toBe(false);
  });

  it('leaves no trace of the key or of the binding', () => {
    expect(record.includes(under.key.export().subarray(0, 4))).toBe(false);
    expect(record.includes(binding.tenantId)).toBe(false);
    expect(record.includes(binding.tokenId)).toBe(false);
  });

  it('leaves the plaintext of its caller as it was', () => {
    expect(plaintext.toString()).toBe('{"number":"4242424242424242"}');
  });

  it.each([0, 12, 23, 25])('refuses a salt of %i bytes', (length) => {
    expect(() => sealRecordWithSalt(plaintext, binding, under, Buffer.alloc(length))).toThrow(TypeError);
  });

  it.each([-1, 2 ** 32])('refuses the key version %d, which the format cannot hold', (version) => {
    expect(() => sealRecord(plaintext, binding, { ...under, version })).toThrow(RangeError);
  });
});

describe('openRecord refuses', () => {
  it('a record with any single bit changed', () => {
    for (let bit = 0; bit < record.length * 8; bit += 1) expectRefused(withBitFlipped(record, bit));
  });

  it('an empty record with any single bit changed', () => {
    const empty = sealRecord(Buffer.alloc(0), binding, under);
    for (let bit = 0; bit < empty.length * 8; bit += 1) expectRefused(withBitFlipped(empty, bit));
  });

  it('a record cut at any length, from the end and from the start', () => {
    for (let length = 0; length < record.length; length += 1) {
      expectRefused(record.subarray(0, length));
      expectRefused(record.subarray(record.length - length));
    }
  });

  it('a record with bytes added at the end, at the start or before the tag', () => {
    for (let count = 1; count <= 32; count += 1) {
      for (const added of [Buffer.alloc(count), randomBytes(count), record.subarray(0, count)]) {
        expectRefused(Buffer.concat([record, added]));
        expectRefused(Buffer.concat([added, record]));
        expectRefused(Buffer.concat([record.subarray(0, -16), added, record.subarray(-16)]));
      }
    }
  });

  it('two records in one', () => {
    expectRefused(Buffer.concat([record, record]));
  });

  it.each([
    ['tenant', { tenantId: 'c0ffee00-0000-4000-8000-000000000002' }],
    ['token', { tokenId: 'd2c1a6b8-6a51-4f0c-9d2e-8f7b6a5c4d3f' }],
    ['token in another case', { tokenId: binding.tokenId.toUpperCase() }],
    ['field', { field: 'mask' }],
    ['earlier record version', { recordVersion: 2 }],
    ['later record version', { recordVersion: 4 }],
    ['type', { type: 'card_number' }],
    ['empty type', { type: '' }],
  ])('a record of another %s', (_, changed) => {
    expectRefused(record, { ...binding, ...changed });
  });

  it.each([
    ['token and field', { tokenId: `${binding.tokenId}d`, field: 'ata' }],
    ['field and record version', { field: 'data3', recordVersion: 3 }],
    ['tenant and token', { tenantId: binding.tokenId, tokenId: binding.tenantId }],
    ['field and type', { field: binding.type, type: binding.field }],
  ])('a record whose %s run into each other', (_, changed) => {
    expectRefused(record, { ...binding, ...changed });
  });

  it('a record under another key of the same version', () => {
    expectRefused(record, binding, { ...under, key: createSecretKey(randomBytes(32)) });
  });

  it('a record under the same key called another version', () => {
    for (const version of [0, 1, 6, 8, 0xffff_ffff]) {
      expectRefused(record, binding, { ...under, version });
      const renamed = Buffer.from(record);
      renamed.writeUInt32BE(version, 2);
      expectRefused(renamed, binding, { ...under, version });
    }
  });

  it('parts of two records of the same row put together', () => {
    const other = sealRecord(plaintext, binding, under);
    for (const [start, end] of [
      [6, 30],
      [30, 62],
      [6, 62],
      [62, record.length],
      [62, record.length - 16],
      [record.length - 16, record.length],
    ] as const) {
      const mixed = Buffer.from(record);
      other.copy(mixed, start, start, end);
      expectRefused(mixed);
    }
  });

  it.each([Buffer.alloc(0), Buffer.alloc(78), Buffer.alloc(500, 255), randomBytes(200)])(
    'bytes that are no record',
    (bytes) => {
      expectRefused(bytes);
    },
  );
});

describe('keyVersionOf', () => {
  it('reads the version of the tenant key', () => {
    expect(keyVersionOf(record)).toBe(7);
  });

  it.each([0, 2, 255])('refuses %i as format or suite, which does not exist', (value) => {
    for (const offset of [0, 1]) {
      const changed = Buffer.from(record);
      changed.writeUInt8(value, offset);
      expect(() => keyVersionOf(changed)).toThrow(SealedRecordError);
    }
  });

  it('refuses what is too short to be a record', () => {
    expect(() => keyVersionOf(record.subarray(0, 77))).toThrow(SealedRecordError);
  });
});

function withBitFlipped(bytes: Buffer, bit: number): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
  return changed;
}
