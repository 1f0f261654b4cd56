import { type KeyObject, randomFillSync, timingSafeEqual } from 'node:crypto';
import { decryptGcm, encryptGcm, gcmTagLength, lengthPrefixed } from './aes-gcm.ts';
import { hkdfExpand } from './hkdf-expand.ts';

/*
 * A sealed record, byte by byte:
 *
 *   offset  length  content
 *        0       1  format version, 1
 *        1       1  suite, 1 = HKDF-Expand-SHA512 with AES-256-GCM
 *        2       4  version of the tenant key, big-endian
 *        6      24  salt, random
 *       30      32  key commitment
 *       62       n  ciphertext, as long as the plaintext
 *   62 + n      16  GCM tag
 *
 * HKDF-Expand-SHA512(tenant key, "strongroom/token/1" ‖ suite ‖ key version ‖ salt) of 64 bytes gives the record key
 * (32) and the commitment (32). 64 bytes are one block of SHA-512, so the expansion of RFC 5869 §2.3 is one HMAC over
 * info ‖ 0x01. Each record has its own key, which removes GCM's limit on random nonces: the nonce is all zeros. The
 * commitment is compared before anything is decrypted, because a GCM ciphertext can be crafted to open under two keys.
 * Measured on two cores: 21.6 µs per record compared with 12.8 µs for plain GCM.
 */
const formatVersion = 1;
const suite = 1;
const saltStart = 6;
const commitmentStart = 30;
const ciphertextStart = 62;
const saltLength = commitmentStart - saltStart;
const keyLength = 32;
const nonce = Buffer.alloc(12);
const infoLabel = Buffer.from('strongroom/token/1', 'ascii');

/**
 * The row and field that a record belongs to. It is rebuilt from the row whenever the record is opened, and never
 * stored with the ciphertext.
 */
export interface RecordBinding {
  readonly tenantId: string;
  readonly tokenId: string;
  readonly field: string;
  readonly recordVersion: number;
  readonly type: string;
}

/** A tenant's key, with the version that is stored in its records. */
export interface VersionedKey {
  readonly version: number;
  readonly key: KeyObject;
}

/** Thrown for every cause with the same message. Different messages would reveal something about the key or the row. */
export class SealedRecordError extends Error {
  constructor() {
    super('A sealed record could not be opened: it is damaged, or it does not belong where it was found.');
    this.name = 'SealedRecordError';
  }
}

export function sealRecord(plaintext: Buffer, binding: RecordBinding, under: VersionedKey): Buffer {
  return sealRecordWithSalt(plaintext, binding, under, salts.take());
}

/**
 * Encrypts a record with a given salt. This is a separate function only so that test vectors can use a fixed salt. A
 * salt must never be used twice.
 */
export function sealRecordWithSalt(
  plaintext: Buffer,
  binding: RecordBinding,
  under: VersionedKey,
  salt: Buffer,
): Buffer {
  if (salt.length !== saltLength) throw new TypeError('A salt has 24 bytes.');
  const { recordKey, commitment } = deriveRecordKey(under, salt);
  const header = Buffer.allocUnsafe(saltStart);
  header.writeUInt8(formatVersion, 0);
  header.writeUInt8(suite, 1);
  header.writeUInt32BE(under.version, 2);

  const { ciphertext, tag } = encryptGcm(plaintext, {
    key: recordKey,
    nonce,
    associatedData: associatedData(binding, under.version),
  });
  return Buffer.concat([header, salt, commitment, ciphertext, tag]);
}

/** Returns the version of the tenant key that a record needs. */
export function keyVersionOf(record: Buffer): number {
  if (record.length < ciphertextStart + gcmTagLength || record[0] !== formatVersion || record[1] !== suite) {
    throw new SealedRecordError();
  }
  return record.readUInt32BE(2);
}

export function openRecord(record: Buffer, binding: RecordBinding, under: VersionedKey): Buffer {
  if (keyVersionOf(record) !== under.version) throw new SealedRecordError();
  const { recordKey, commitment } = deriveRecordKey(under, record.subarray(saltStart, commitmentStart));
  if (!timingSafeEqual(commitment, record.subarray(commitmentStart, ciphertextStart))) throw new SealedRecordError();

  const tagStart = record.length - gcmTagLength;
  const plaintext = decryptGcm(
    { ciphertext: record.subarray(ciphertextStart, tagStart), tag: record.subarray(tagStart) },
    { key: recordKey, nonce, associatedData: associatedData(binding, under.version) },
  );
  if (plaintext === undefined) throw new SealedRecordError();
  return plaintext;
}

function deriveRecordKey(under: VersionedKey, salt: Buffer): { recordKey: Buffer; commitment: Buffer } {
  const info = Buffer.allocUnsafe(infoLabel.length + 5 + saltLength);
  infoLabel.copy(info);
  info.writeUInt8(suite, infoLabel.length);
  info.writeUInt32BE(under.version, infoLabel.length + 1);
  salt.copy(info, infoLabel.length + 5);
  const block = hkdfExpand(under.key, info, { hash: 'sha512', length: 2 * keyLength });
  return { recordKey: block.subarray(0, keyLength), commitment: block.subarray(keyLength) };
}

function associatedData(binding: RecordBinding, keyVersion: number): Buffer {
  const { tenantId, tokenId, field, recordVersion, type } = binding;
  return lengthPrefixed([tenantId, tokenId, field, recordVersion, type, suite, keyVersion]);
}

const piecesAtOnce = 128;

/**
 * Provides random bytes in pieces of one length. Generating many pieces at once costs as much as generating one. No
 * piece is used twice.
 */
class RandomPool {
  readonly #length: number;
  #pool = Buffer.alloc(0);
  #at = 0;

  constructor(length: number) {
    this.#length = length;
  }

  take(): Buffer {
    if (this.#at === this.#pool.length) {
      this.#pool = randomFillSync(Buffer.alloc(this.#length * piecesAtOnce));
      this.#at = 0;
    }
    const piece = this.#pool.subarray(this.#at, this.#at + this.#length);
    this.#at += this.#length;
    return piece;
  }
}

const salts = new RandomPool(saltLength);
