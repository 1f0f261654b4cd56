import type { TenantKeyInfo } from '../../platform/keyring/keys/tenant-key-store.ts';
import { ownKeyNameOf } from '../../platform/keyring/kms/own-root-key.ts';

/** An own root key, with the tenants whose keys it wraps. */
export interface OwnKeyUse {
  readonly name: string;
  readonly isConfigured: boolean;
  readonly users: readonly string[];
}

export function listOwnKeyUses(configured: readonly string[], keys: readonly TenantKeyInfo[]): OwnKeyUse[] {
  const users = new Map(configured.map((name) => [name, new Set<string>()]));
  for (const { tenantId, rootKey } of keys) {
    const name = ownKeyNameOf(rootKey);
    if (name !== undefined) users.set(name, (users.get(name) ?? new Set()).add(tenantId));
  }
  return [...users].map(([name, ids]) => ({ name, isConfigured: configured.includes(name), users: [...ids] }));
}
