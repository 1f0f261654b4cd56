import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { encodeBase58 } from '../../../core/identity/base58.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import { lengthPrefixed } from '../sealing/aes-gcm.ts';
import { hashCredential } from './credential-hash.ts';
import {
  keyVersionOf,
  openRecord,
  type RecordBinding,
  SealedRecordError,
  sealRecord,
  type VersionedKey,
} from '../sealing/sealed-record.ts';

/** The purposes of the keys that every tenant has. */
export const tenantKeyPurposes = ['data', 'fingerprint', 'index'] as const;
/** A tenant that has moved from other cells also has the keys with which they hashed its credentials. */
export type TenantKeyPurpose = (typeof tenantKeyPurposes)[number] | 'credential';
export type TenantKeys = Readonly<
  Record<(typeof tenantKeyPurposes)[number], readonly VersionedKey[]> & { credential?: readonly VersionedKey[] }
>;

/**
 * The kind of a hashed value: a token's evaluated search index or metadata pair, an idempotency key, or an imported
 * file.
 */
export type BlindIndexKind = 'data' | 'metadata' | 'idempotency' | 'import';

/** The length of an index term in bytes. With 128 bits, a collision is expected after 2⁶⁴ values. */
const termLength = 16;

/** The row and field within its tenant that a record belongs to. */
export type FieldBinding = Omit<RecordBinding, 'tenantId'>;

/** The unwrapped keys of one tenant and all operations with them. Plaintext is never kept. */
export class TenantKeyring {
  readonly #tenantId: TenantId;
  readonly #keys: TenantKeys;
  readonly #dataKeys: ReadonlyMap<number, VersionedKey>;
  readonly #newestDataKey: VersionedKey;
  readonly #fingerprintKey: KeyObject;
  readonly #indexKey: KeyObject;

  constructor(tenantId: TenantId, keys: TenantKeys) {
    this.#tenantId = tenantId;
    this.#keys = keys;
    this.#dataKeys = new Map(keys.data.map((key) => [key.version, key]));
    this.#newestDataKey = newest(keys.data);
    this.#fingerprintKey = newest(keys.fingerprint).key;
    this.#indexKey = newest(keys.index).key;
  }

  /**
   * Returns the keys for a keyring of the same tenant in another thread. Key objects are passed by reference, so
   * messages never contain their bytes.
   */
  share(): TenantKeys {
    return this.#keys;
  }

  seal(text: string, binding: FieldBinding): Buffer {
    return sealRecord(Buffer.from(text, 'utf8'), { ...binding, tenantId: this.#tenantId }, this.#newestDataKey);
  }

  canOpen(record: Buffer): boolean {
    return this.#dataKeys.has(keyVersionOf(record));
  }

  open(record: Buffer, binding: FieldBinding): string {
    return openRecord(record, { ...binding, tenantId: this.#tenantId }, this.#keyOf(record)).toString('utf8');
  }

  /**
   * Returns the same text encrypted with the newest key, or undefined if the record already uses that key. The result
   * is decrypted again and compared, so that a record is only replaced by one with the same text.
   */
  reseal(record: Buffer, binding: FieldBinding): Buffer | undefined {
    if (keyVersionOf(record) === this.#newestDataKey.version) return undefined;
    const whole = { ...binding, tenantId: this.#tenantId };
    const plaintext = openRecord(record, whole, this.#keyOf(record));
    const fresh = sealRecord(plaintext, whole, this.#newestDataKey);
    const again = openRecord(fresh, whole, this.#newestDataKey);
    const isSame = again.equals(plaintext);
    plaintext.fill(0);
    again.fill(0);
    if (!isSame) throw new Error('A re-encrypted record does not decrypt to the same text.');
    return fresh;
  }

  /**
   * Computes a fingerprint. Equal contents of one type have equal fingerprints within a tenant. Fingerprints of
   * different tenants cannot be compared.
   */
  fingerprint(type: string, content: string): string {
    const message = lengthPrefixed(['strongroom/fingerprint/1', type, content]);
    return encodeBase58(createHmac('sha256', this.#fingerprintKey).update(message).digest());
  }

  /**
   * Computes a hash that is stored and compared instead of a searchable value. Values of different kinds never match.
   */
  blindIndex(kind: BlindIndexKind, ...parts: readonly string[]): Buffer {
    const message = lengthPrefixed(['strongroom/index/1', kind, ...parts]);
    return createHmac('sha256', this.#indexKey).update(message).digest().subarray(0, termLength);
  }

  /** Returns true for the secret of a credential that was hashed in a cell from which the tenant has moved. */
  isFormerCredential(secret: Uint8Array, hash: Buffer): boolean {
    return (this.#keys.credential ?? []).some(({ key }) => timingSafeEqual(hashCredential(key, secret), hash));
  }

  #keyOf(record: Buffer): VersionedKey {
    const key = this.#dataKeys.get(keyVersionOf(record));
    if (key === undefined) throw new SealedRecordError();
    return key;
  }
}

function newest(keys: readonly VersionedKey[]): VersionedKey {
  const [first, ...rest] = keys;
  if (first === undefined) throw new Error('A tenant has no key for one of its purposes.');
  return rest.reduce((best, key) => (key.version > best.version ? key : best), first);
}
