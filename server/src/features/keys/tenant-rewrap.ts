import type { TenantId } from '../../core/identity/ids.ts';
import { recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import { toChangeDetails } from '../../platform/audit/record/change-details.ts';
import type { Database } from '../../platform/database/database.ts';
import type { RootKeys } from '../../platform/keyring/kms/root-keys.ts';
import { TenantKeyStore, type WrappedTenantKey } from '../../platform/keyring/keys/tenant-key-store.ts';
import { rewrapKey } from '../../platform/keyring/keys/tenant-key-wrapping.ts';
import { keyEvent } from './key-event.ts';

export interface TenantRewrapReport {
  /** The id of the root key that now wraps all keys of the tenant. */
  readonly rootKey: string;
  readonly rewrapped: number;
}

interface Rewrapping {
  readonly old: WrappedTenantKey;
  readonly fresh: WrappedTenantKey;
}

/**
 * Rewraps the keys of a tenant with the own root key of that name, or with the root key of the vault if there is no name.
 * All of them change in one transaction, so that after an interruption one root key wraps all of them.
 */
export async function rewrapTenant(
  { database, rootKeys }: { readonly database: Database; readonly rootKeys: RootKeys },
  tenantId: TenantId,
  ownKey: string | undefined,
): Promise<TenantRewrapReport> {
  const found = await database.forTenant(tenantId, (tx) => new TenantKeyStore(tx).listOfTenant(tenantId));
  if (found.length === 0) throw new Error(`There is no tenant ${tenantId}.`);
  // The key service is asked before the transaction begins. One that is slow must not hold a lock.
  const prepared = await Promise.all(
    found.map(async (old): Promise<Rewrapping> => ({ old, fresh: await rewrapKey(rootKeys, old, ownKey) })),
  );
  const changed = prepared.filter(({ old, fresh }) => old.rootKey !== fresh.rootKey);
  await database.forTenant(tenantId, async (tx) => {
    const store = new TenantKeyStore(tx);
    if (!isSame(await store.lockOfTenant(tenantId), found)) throw changedMeanwhile(tenantId);
    for (const { old, fresh } of changed) {
      if (!(await store.updateWrapping(old, fresh))) throw changedMeanwhile(tenantId);
      const details = toChangeDetails(
        [`root key removed: ${old.rootKey}`, `root key added: ${fresh.rootKey}`],
        fresh.rootKey,
      );
      await recordInTransaction(tx, tenantId, 'system', { ...keyEvent(old, 'rewrap'), details });
    }
  });
  return { rootKey: prepared[0]?.fresh.rootKey ?? '', rewrapped: changed.length };
}

/** Returns the error for two processes that change the keys of one tenant at the same time. */
export function changedMeanwhile(tenantId: TenantId): Error {
  return new Error(
    `Another process changed the keys of tenant ${tenantId} at the same time. Nothing was changed. Run the command again.`,
  );
}

function isSame(current: readonly WrappedTenantKey[], found: readonly WrappedTenantKey[]): boolean {
  const wrappings = new Set(found.map(({ wrapped }) => wrapped.toString('hex')));
  return current.length === found.length && current.every(({ wrapped }) => wrappings.has(wrapped.toString('hex')));
}
