import { randomUUID } from 'node:crypto';
import { parseTenantId, type TenantId } from '../../src/core/identity/ids.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { Keyring } from '../../src/platform/keyring/keys/keyring.ts';
import type { RootKey } from '../../src/platform/keyring/kms/root-key.ts';
import { RootKeys } from '../../src/platform/keyring/kms/root-keys.ts';

/** Creates a tenant with its first keys and nothing else. They are wrapped by the own root key of that name, if any. */
export async function createKeyedTenant(
  database: Database,
  rootKey: RootKey | RootKeys,
  ownKey?: string,
): Promise<TenantId> {
  const tenantId = parseTenantId(randomUUID());
  const rootKeys = rootKey instanceof RootKeys ? rootKey : new RootKeys(rootKey);
  const keys = await new Keyring(database, rootKeys).makeTenantKeys(tenantId, ownKey);
  await database.forTenant(tenantId, async (tx) => {
    await tx.query({ text: `insert into tenants (id, name, type) values ($1, 'T', 'test')`, values: [tenantId] });
    await keys.store(tx);
  });
  return tenantId;
}
