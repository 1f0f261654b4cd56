import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { TenantId } from '../../../core/identity/ids.ts';
import type { Database } from '../../database/database.ts';
import { AuditSigner } from '../sealing/audit-signer.ts';
import type { RootKeys } from '../kms/root-keys.ts';
import { hashCredential } from './credential-hash.ts';
import { WrongRootKeyError } from './root-key-check.ts';
import {
  insertSystemKeys,
  listSystemKeys,
  type SystemKeyPurpose,
  systemKeyPurposes,
  type WrappedSystemKey,
} from './system-key-store.ts';
import { createSystemKey, unwrapSystemKey } from './system-key-wrapping.ts';
import type { WrappedTenantKey } from './tenant-key-store.ts';
import { wrapTenantKey } from './tenant-key-wrapping.ts';
import { SystemSealer } from '../sealing/system-sealer.ts';

/**
 * The keys that belong to the installation rather than to a tenant. They hash credentials, authenticate servers, sign
 * the audit log and encrypt the data of users.
 */
export class SystemKeys {
  readonly #keys: ReadonlyMap<SystemKeyPurpose, KeyObject>;

  /**
   * Loads the keys, and creates them first if the database has none. Two servers that start together end up with the
   * same keys.
   */
  static async load(database: Database, rootKeys: RootKeys): Promise<SystemKeys> {
    // A wrong root key must be detected before it can wrap a missing key.
    for (const row of await listSystemKeys(database)) requireKnownRoot(row, rootKeys);
    await addMissing(database, rootKeys);
    const keys = new Map<SystemKeyPurpose, KeyObject>();
    for (const row of await listSystemKeys(database)) {
      requireKnownRoot(row, rootKeys);
      keys.set(row.purpose, await unwrap(row, rootKeys));
    }
    return new SystemKeys(keys);
  }

  /** Checks that the root key unwraps the existing keys. Writes nothing. */
  static async requireOpens(database: Database, rootKeys: RootKeys): Promise<void> {
    for (const row of await listSystemKeys(database)) {
      requireKnownRoot(row, rootKeys);
      await unwrap(row, rootKeys);
    }
  }

  private constructor(keys: ReadonlyMap<SystemKeyPurpose, KeyObject>) {
    this.#keys = keys;
  }

  hashCredential(secret: Uint8Array): Buffer {
    return hashCredential(this.#key('credential'), secret);
  }

  isCredential(secret: Uint8Array, hash: Buffer): boolean {
    return timingSafeEqual(this.hashCredential(secret), hash);
  }

  /** Authenticates messages between servers of this installation, so that nobody else can impersonate them. */
  authenticate(message: Buffer): Buffer {
    return createHmac('sha256', this.#key('exchange')).update('strongroom/exchange/1').update(message).digest();
  }

  /** Returns the signer for the checkpoints of the audit log. */
  auditSigner(): AuditSigner {
    return new AuditSigner(this.#key('audit'));
  }

  /**
   * Returns the credential key as a key of a tenant that moves to another cell, wrapped by the root key of that cell. The
   * key never leaves this process unwrapped.
   */
  wrapCredentialKey(
    rootKeys: RootKeys,
    name: { readonly tenantId: TenantId; readonly version: number },
    ownKey: string | undefined,
  ): Promise<WrappedTenantKey> {
    const bytes = this.#key('credential').export();
    return wrapTenantKey(rootKeys, bytes, { ...name, purpose: 'credential' }, ownKey);
  }

  /** Returns the sealer for data that belongs to no tenant: data of a user, or data that has no owner yet. */
  sealer(): SystemSealer {
    return new SystemSealer(this.#key('user'));
  }

  #key(purpose: SystemKeyPurpose): KeyObject {
    const key = this.#keys.get(purpose);
    if (key === undefined) throw new Error(`The system key ${purpose} is missing.`);
    return key;
  }
}

/**
 * Adds all missing keys in one transaction. If two servers have different root keys, one of them stores all keys and
 * the other none.
 */
async function addMissing(database: Database, rootKeys: RootKeys): Promise<void> {
  const present = new Set((await listSystemKeys(database)).map(({ purpose }) => purpose));
  const made: WrappedSystemKey[] = [];
  for (const purpose of systemKeyPurposes) {
    if (present.has(purpose)) continue;
    made.push(await createSystemKey(purpose, rootKeys));
  }
  if (made.length > 0) await insertSystemKeys(database, made);
}

async function unwrap(row: WrappedSystemKey, rootKeys: RootKeys): Promise<KeyObject> {
  return createSecretKey(await unwrapSystemKey(row, rootKeys));
}

function requireKnownRoot(row: WrappedSystemKey, rootKeys: RootKeys): void {
  if (!rootKeys.has(row.rootKey)) throw new WrongRootKeyError(rootKeys, row.rootKey);
}
