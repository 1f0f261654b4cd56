import type { TenantId } from '../../core/identity/ids.ts';
import { recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import { StatementError } from '../../platform/database/database-error.ts';
import { ownKeyNameOf, ReplacedOwnRootKey } from '../../platform/keyring/kms/own-root-key.ts';
import type { RootKeys } from '../../platform/keyring/kms/root-keys.ts';
import { TenantKeyStore } from '../../platform/keyring/keys/tenant-key-store.ts';
import { makeWrappedKey } from '../../platform/keyring/keys/tenant-key-wrapping.ts';
import { keyEvent } from './key-event.ts';
import { changedMeanwhile } from './tenant-rewrap.ts';

const uniqueViolation = '23505';

/**
 * Creates a new data key for a tenant. Every server is notified and encrypts with it from then on. Older keys are still
 * used to decrypt.
 */
export async function rotateDataKey(
  { database, rootKeys }: { readonly database: Database; readonly rootKeys: RootKeys },
  tenantId: TenantId,
): Promise<{ readonly version: number }> {
  const keys = await database.forTenant(tenantId, (tx) => new TenantKeyStore(tx).describe(tenantId));
  const newest = keys.findLast(({ purpose }) => purpose === 'data');
  if (newest === undefined) throw new Error(`There is no tenant ${tenantId}.`);
  const version = newest.version + 1;
  const ownKey = ownKeyNameOf(newest.rootKey);
  const key = await makeWrappedKey(rootKeys, { tenantId, purpose: 'data', version }, ownKey);
  // If the name leads to another key now, for example because its owner has moved an alias, no settings could unwrap the
  // keys under both, and the tenant would be lost.
  if (ownKey !== undefined && key.rootKey !== newest.rootKey) {
    throw new ReplacedOwnRootKey(ownKey, newest.rootKey, key.rootKey);
  }
  try {
    await database.forTenant(tenantId, async (tx) => {
      const store = new TenantKeyStore(tx);
      const current = await store.lockOfTenant(tenantId);
      // A tenant that was given an own root key meanwhile must not get a key that another root key wraps.
      const isElsewhere = (rootKey: string) =>
        ownKey === undefined ? ownKeyNameOf(rootKey) !== undefined : rootKey !== key.rootKey;
      if (current.some(({ rootKey }) => isElsewhere(rootKey))) throw changedMeanwhile(tenantId);
      await store.insert(key);
      await recordInTransaction(tx, tenantId, 'system', keyEvent(key, 'rotate'));
    });
  } catch (error) {
    if (!(error instanceof StatementError) || error.sqlState !== uniqueViolation) throw error;
    throw new Error(
      `Another process has just created data key ${version} of tenant ${tenantId}. Nothing was changed.`,
      {
        cause: error,
      },
    );
  }
  return { version };
}
