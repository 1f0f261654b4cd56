import type { Database } from '../../platform/database/database.ts';
import { listRootKeys } from '../../platform/database/ground/database-inspection.ts';
import { ownKeyNameOf } from '../../platform/keyring/kms/own-root-key.ts';
import type { RootKeys } from '../../platform/keyring/kms/root-keys.ts';
import { requireRootKeyOpensEverything, WrongRootKeyError } from '../../platform/keyring/keys/root-key-check.ts';
import { SystemKeys } from '../../platform/keyring/keys/system-keys.ts';

/**
 * Unwraps every key of the installation and of each tenant, and returns the number of tenant keys. It writes nothing.
 * Keys under an own root key of their tenant are left to `checkOwnRootKeys`.
 */
export async function requireEveryKeyOpens(database: Database, rootKeys: RootKeys): Promise<number> {
  const foreign = (await listRootKeys(database)).find((id) => ownKeyNameOf(id) === undefined && !rootKeys.has(id));
  if (foreign !== undefined) throw new WrongRootKeyError(rootKeys, foreign);
  await SystemKeys.requireOpens(database, rootKeys);
  return requireRootKeyOpensEverything(database, rootKeys);
}
