import type { KeyObject } from 'node:crypto';
import { DomainError } from '../../../core/errors/domain-error.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import type { Database } from '../../database/database.ts';
import { withinTime } from '../../waiting/within-time.ts';
import { ownKeyNameOf } from '../kms/own-root-key.ts';
import { RootKeyMismatch } from '../kms/root-key.ts';
import type { RootKeys } from '../kms/root-keys.ts';
import { SealedRecordError } from '../sealing/sealed-record.ts';
import { TenantKeyStore, type WrappedTenantKey } from './tenant-key-store.ts';
import { unwrapKey } from './tenant-key-wrapping.ts';
import { TenantKeyring, type TenantKeyPurpose } from './tenant-keyring.ts';

/** The time after which a key service that does not respond counts as unavailable. */
const unwrapTimeoutMs = 5_000;
const lateMessage = 'The key service did not respond in time.';

/** The unwrapped keys of a tenant. */
export interface LoadedKeys {
  readonly keyring: TenantKeyring;
  /** The id of the tenant's own root key. Undefined if a root key of the vault wraps all of its keys. */
  readonly ownKeyId: string | undefined;
}

/** Thrown if a root key cannot be used at the moment. Its own root key, if any, concerns no other tenant. */
export class RootKeyUnavailable extends Error {
  readonly rootKey: string;
  override readonly cause: Error;

  constructor(rootKey: string, cause: unknown) {
    super('A root key cannot be used.');
    this.name = 'RootKeyUnavailable';
    this.rootKey = rootKey;
    this.cause = cause instanceof Error ? cause : new Error('unknown');
  }
}

export async function loadTenantKeys(
  { database, rootKeys }: { readonly database: Database; readonly rootKeys: RootKeys },
  tenantId: TenantId,
): Promise<LoadedKeys> {
  const wrapped = await database.forTenant(tenantId, (tx) => new TenantKeyStore(tx).listOfTenant(tenantId));
  // The keys were just destroyed with the tenant. The caller's API key has not been rejected yet.
  if (wrapped.length === 0) throw new DomainError('not-found', 'There is no such tenant.');
  const keys = await Promise.all(
    wrapped.map(async (row) => ({ purpose: row.purpose, version: row.version, key: await unwrap(rootKeys, row) })),
  );
  const ofPurpose = (purpose: TenantKeyPurpose) => keys.filter((key) => key.purpose === purpose);
  return {
    keyring: new TenantKeyring(tenantId, {
      data: ofPurpose('data'),
      fingerprint: ofPurpose('fingerprint'),
      index: ofPurpose('index'),
      credential: ofPurpose('credential'),
    }),
    ownKeyId: wrapped.find(({ rootKey }) => ownKeyNameOf(rootKey) !== undefined)?.rootKey,
  };
}

function unwrap(rootKeys: RootKeys, row: WrappedTenantKey): Promise<KeyObject> {
  return withinTime(unwrapKey(rootKeys, row), unwrapTimeoutMs, lateMessage).catch((error: unknown) => {
    // The owner of a tenant's root key can have its service return anything. The vault is not damaged by that.
    const isOwn = ownKeyNameOf(row.rootKey) !== undefined;
    if (!isOwn && (error instanceof RootKeyMismatch || error instanceof SealedRecordError)) throw error;
    throw new RootKeyUnavailable(row.rootKey, error);
  });
}
