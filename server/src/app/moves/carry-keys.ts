import type { TenantId } from '../../core/identity/ids.ts';
import { copyKeyStates, deleteOtherKeys, insertKeys, listKeyNames } from '../../platform/database/moves/key-rows.ts';
import { TenantKeyStore, type WrappedTenantKey } from '../../platform/keyring/keys/tenant-key-store.ts';
import { rewrapKeyFor } from '../../platform/keyring/keys/tenant-key-wrapping.ts';
import { ownKeyNameOf } from '../../platform/keyring/kms/own-root-key.ts';
import type { MoveEnds } from './cell-end.ts';

/**
 * Gives the target the keys of the tenant as they are in the source now, wrapped by its own root key, and the key with
 * which the source has hashed the tenant's API keys. A key exists unwrapped only in the memory of this process.
 */
export async function carryKeys({ source, target }: MoveEnds, tenantId: TenantId): Promise<void> {
  const { rootKeys, systemKeys, database } = source.core;
  const keys = await database.forTenant(tenantId, (tx) => new TenantKeyStore(tx).listOfTenant(tenantId));
  const known = new Set(await listKeyNames(target.admin, tenantId));
  const fresh: WrappedTenantKey[] = [];
  for (const key of keys.filter((each) => !known.has(nameOf(each)))) {
    fresh.push(await rewrapKeyFor({ from: rootKeys, to: target.core.rootKeys }, key));
  }
  // Cells that the tenant was in before have the versions below.
  const version = 1 + keys.filter(({ purpose }) => purpose === 'credential').length;
  const credential = { purpose: 'credential', version } as const;
  if (!known.has(nameOf(credential))) {
    const ownKey = keys.map(({ rootKey }) => ownKeyNameOf(rootKey)).find((name) => name !== undefined);
    fresh.push(await systemKeys.wrapCredentialKey(target.core.rootKeys, { tenantId, version }, ownKey));
  }
  await insertKeys(target.admin, fresh);
  await deleteOtherKeys(target.admin, tenantId, [...keys, credential].map(nameOf));
  await copyKeyStates({ source: source.admin, target: target.admin }, tenantId);
}

function nameOf({ purpose, version }: Pick<WrappedTenantKey, 'purpose' | 'version'>): string {
  return `${purpose} ${version}`;
}
