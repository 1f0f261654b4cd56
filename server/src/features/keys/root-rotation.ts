import { recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import { listRootKeys } from '../../platform/database/ground/database-inspection.ts';
import { ownKeyNameOf } from '../../platform/keyring/kms/own-root-key.ts';
import type { RootKeys } from '../../platform/keyring/kms/root-keys.ts';
import { listSystemKeys, updateSystemKey } from '../../platform/keyring/keys/system-key-store.ts';
import { rewrapSystemKey } from '../../platform/keyring/keys/system-key-wrapping.ts';
import { TenantKeyStore, tenantKeyPages, type WrappedTenantKey } from '../../platform/keyring/keys/tenant-key-store.ts';
import { rewrapKey } from '../../platform/keyring/keys/tenant-key-wrapping.ts';
import { keyEvent } from './key-event.ts';

const pageSize = 200;
const passesMax = 3;

export interface RootRotationReport {
  readonly rootKey: string;
  readonly rewrapped: number;
  /** The number of keys that were already wrapped by that root key. */
  readonly untouched: number;
}

/**
 * Rewraps every key with the current root key. No key changes, so no data has to be re-encrypted, and servers
 * with both root keys notice nothing. If restarted, it continues with the remaining keys. Keys under an own root key of
 * their tenant stay as they are.
 */
export async function rotateRootKeys(
  { database, rootKeys }: { readonly database: Database; readonly rootKeys: RootKeys },
  onProgress: (done: number) => void,
): Promise<RootRotationReport> {
  const rootKey = rootKeys.primary.id;
  const first = await rewrapAll(database, rootKeys, onProgress);
  let { rewrapped } = first;
  // A key added in the meantime may be missed, so the pass is repeated until none remains.
  for (let pass = 1; (await listRootKeys(database)).some((id) => isOurs(id) && id !== rootKey); pass += 1) {
    if (pass === passesMax) {
      throw new Error(
        `Some process still wraps keys with a root key other than ${rootKey}. Find and reconfigure it, then run ` +
          'this again. Do not remove the other root key yet.',
      );
    }
    rewrapped += (await rewrapAll(database, rootKeys, onProgress)).rewrapped;
  }
  return { rootKey, rewrapped, untouched: first.untouched };
}

async function rewrapAll(
  database: Database,
  rootKeys: RootKeys,
  onProgress: (done: number) => void,
): Promise<{ rewrapped: number; untouched: number }> {
  const done = { rewrapped: 0, untouched: 0 };
  const count = (kind: keyof typeof done) => {
    done[kind] += 1;
    onProgress(done.rewrapped + done.untouched);
  };
  const isUntouched = ({ rootKey }: { rootKey: string }) => rootKey === rootKeys.primary.id;
  for (const key of await listSystemKeys(database)) {
    if (isUntouched(key)) count('untouched');
    else if (await updateSystemKey(database, key, await rewrapSystemKey(key, rootKeys))) count('rewrapped');
  }
  for await (const page of tenantKeyPages(database, pageSize)) {
    for (const key of page.filter((one) => isOurs(one.rootKey))) {
      if (isUntouched(key)) count('untouched');
      else if (await replace(database, key, await rewrapKey(rootKeys, key))) count('rewrapped');
    }
  }
  return done;
}

function isOurs(rootKey: string): boolean {
  return ownKeyNameOf(rootKey) === undefined;
}

/**
 * Replaces a wrapped key. Each key has its own transaction. After an interruption, some keys are wrapped by each of the
 * two root keys, and both kinds can be unwrapped.
 */
function replace(database: Database, old: WrappedTenantKey, fresh: WrappedTenantKey): Promise<boolean> {
  return database.forTenant(old.tenantId, async (tx) => {
    const isReplaced = await new TenantKeyStore(tx).updateWrapping(old, fresh);
    if (isReplaced) await recordInTransaction(tx, old.tenantId, 'system', keyEvent(old, 'rewrap'));
    return isReplaced;
  });
}
