import { createSecretKey, randomBytes, type webcrypto } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openRecord, type RecordBinding, SealedRecordError, sealRecord, sealRecordWithSalt } from './sealed-record.ts';

interface GoldenRecord {
  readonly name: string;
  readonly key: string;
  readonly keyVersion: number;
  readonly salt: string;
  readonly binding: RecordBinding;
  readonly plaintext: string;
  readonly record: string;
}

const vectors = new URL('../vectors/sealed-record-1.json', import.meta.url);
const golden = (JSON.parse(readFileSync(vectors, 'utf8')) as { records: GoldenRecord[] }).records;
const hex = (text: string) => Buffer.from(text, 'hex');
const keyOf = ({ key, keyVersion }: GoldenRecord) => ({ key: createSecretKey(hex(key)), version: keyVersion });

describe('the frozen records of format 1', () => {
  it('are all there', () => {
    expect(golden).toHaveLength(21);
  });

  it.each(golden)('opens: $name', (record) => {
    expect(openRecord(hex(record.record), record.binding, keyOf(record))).toEqual(hex(record.plaintext));
  });

  it.each(golden)('is made again byte for byte: $name', (record) => {
    const made = sealRecordWithSalt(hex(record.plaintext), record.binding, keyOf(record), hex(record.salt));
    expect(made.toString('hex')).toBe(record.record);
  });

  it.each(golden)('opens in the second implementation: $name', async (record) => {
    const opened = await second.open(hex(record.record), record.binding, hex(record.key));
    expect(opened).toEqual(hex(record.plaintext));
  });

  it.each(golden)('opens under no key or binding of another frozen record: $name', (record) => {
    for (const other of golden) {
      if (other.key !== record.key) {
        const under = { key: createSecretKey(hex(other.key)), version: record.keyVersion };
        expect(() => openRecord(hex(record.record), record.binding, under)).toThrow(SealedRecordError);
      }
      if (JSON.stringify(other.binding) !== JSON.stringify(record.binding)) {
        expect(() => openRecord(hex(record.record), other.binding, keyOf(record))).toThrow(SealedRecordError);
      }
    }
  });
});

const sealings = fc.record({
  plaintext: fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes)),
  key: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes)),
  version: fc.integer({ min: 1, max: 0xffff_ffff }),
  binding: fc.record({
    tenantId: fc.uuid(),
    tokenId: fc.string({ unit: 'grapheme', maxLength: 100 }),
    field: fc.string({ maxLength: 20 }),
    recordVersion: fc.nat(),
    type: fc.string({ maxLength: 30 }),
  }),
});

describe('a second implementation, on WebCrypto', () => {
  it('opens what ours seals', async () => {
    await fc.assert(
      fc.asyncProperty(sealings, async ({ plaintext, key, version, binding }) => {
        const record = sealRecord(plaintext, binding, { key: createSecretKey(key), version });
        expect(await second.open(record, binding, key)).toEqual(plaintext);
      }),
    );
  });

  it('seals what ours opens', async () => {
    await fc.assert(
      fc.asyncProperty(sealings, async ({ plaintext, key, version, binding }) => {
        const record = await second.seal(plaintext, binding, { key, version });
        expect(openRecord(record, binding, { key: createSecretKey(key), version })).toEqual(plaintext);
      }),
    );
  });
});

describe('records that only a second implementation can make', () => {
  const key = randomBytes(32);
  const under = { key: createSecretKey(key), version: 1 };
  const binding = { tenantId: 'a', tokenId: 'b', field: 'data', recordVersion: 1, type: 'token' };
  const plaintext = Buffer.from('4242424242424242 and some more text');

  it('is refused with a wrong commitment though its tag is right', async () => {
    const record = await second.seal(plaintext, binding, { key, version: 1 });
    const commitment = Buffer.from(record.subarray(30, 62));
    record.set(randomBytes(32), 30);
    expect(() => openRecord(record, binding, under)).toThrow(SealedRecordError);
    // With the right commitment the record opens, so the commitment was its only fault.
    record.set(commitment, 30);
    expect(openRecord(record, binding, under)).toEqual(plaintext);
  });

  it('is refused when its commitment is the record key', async () => {
    const record = await second.seal(plaintext, binding, { key, version: 1 });
    const { recordKey } = await second.derive(key, record.subarray(1, 6), record.subarray(6, 30));
    record.set(recordKey, 30);
    expect(() => openRecord(record, binding, under)).toThrow(SealedRecordError);
  });

  it.each([4, 8, 12, 13, 14, 15])('is refused with a tag of %i bytes', async (tagLength) => {
    const record = await second.seal(plaintext, binding, { key, version: 1, tagLength });
    expect(record).toHaveLength(62 + plaintext.length + tagLength);
    expect(() => openRecord(record, binding, under)).toThrow(SealedRecordError);
  });

  it('is refused with a nonce that is not zero', async () => {
    const record = await second.seal(plaintext, binding, { key, version: 1, nonce: randomBytes(12) });
    expect(() => openRecord(record, binding, under)).toThrow(SealedRecordError);
  });
});

interface SecondSealing {
  readonly key: Buffer;
  readonly version: number;
  readonly tagLength?: number;
  readonly nonce?: Buffer;
}

/**
 * An independent implementation, written from the format description alone. It shares no code with the implementation
 * that it checks.
 */
const second = {
  async seal(plaintext: Buffer, binding: RecordBinding, sealing: SecondSealing): Promise<Buffer> {
    const { key, version, tagLength = 16, nonce = Buffer.alloc(12) } = sealing;
    const salt = crypto.getRandomValues(new Uint8Array(24));
    const suiteAndVersion = new Uint8Array(5);
    new DataView(suiteAndVersion.buffer).setUint8(0, 1);
    new DataView(suiteAndVersion.buffer).setUint32(1, version);
    const { recordKey, commitment } = await second.derive(key, suiteAndVersion, salt);
    const gcmKey = await crypto.subtle.importKey('raw', recordKey, 'AES-GCM', false, ['encrypt']);
    const sealed = Buffer.from(await crypto.subtle.encrypt(second.gcm(binding, version, nonce), gcmKey, plaintext));
    const shortened = sealed.subarray(0, plaintext.length + tagLength);
    return Buffer.concat([Buffer.from([1]), suiteAndVersion, salt, commitment, shortened]);
  },

  async open(record: Buffer, binding: RecordBinding, key: Buffer): Promise<Buffer> {
    const { recordKey, commitment } = await second.derive(key, record.subarray(1, 6), record.subarray(6, 30));
    if (!Buffer.from(commitment).equals(record.subarray(30, 62))) throw new Error('The commitment is wrong.');
    const gcmKey = await crypto.subtle.importKey('raw', recordKey, 'AES-GCM', false, ['decrypt']);
    const parameters = second.gcm(binding, record.readUInt32BE(2), Buffer.alloc(12));
    return Buffer.from(await crypto.subtle.decrypt(parameters, gcmKey, record.subarray(62)));
  },

  async derive(key: Uint8Array, suiteAndVersion: Uint8Array, salt: Uint8Array) {
    const hmacKey = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-512' }, false, ['sign']);
    const label = new TextEncoder().encode('strongroom/token/1');
    const message = Uint8Array.from([...label, ...suiteAndVersion, ...salt, 1]);
    const block = new Uint8Array(await crypto.subtle.sign('HMAC', hmacKey, message));
    return { recordKey: block.slice(0, 32), commitment: block.slice(32) };
  },

  gcm(binding: RecordBinding, version: number, nonce: Buffer): webcrypto.AesGcmParams {
    const { tenantId, tokenId, field, recordVersion, type } = binding;
    const additionalData = [tenantId, tokenId, field, `${recordVersion}`, type, '1', `${version}`].flatMap((part) => {
      const bytes = new TextEncoder().encode(part);
      return [
        bytes.length >>> 24,
        (bytes.length >>> 16) & 255,
        (bytes.length >>> 8) & 255,
        bytes.length & 255,
        ...bytes,
      ];
    });
    return { name: 'AES-GCM', iv: nonce, additionalData: Uint8Array.from(additionalData), tagLength: 128 };
  },
};
