import { recordInTransaction } from '../../platform/audit/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import { listRootKeys } from '../../platform/database/database-inspection.ts';
import type { RootKeys } from '../../platform/keyring/kms/root-keys.ts';
import { listSystemKeys, updateSystemKey } from '../../platform/keyring/system-key-store.ts';
import { rewrapSystemKey } from '../../platform/keyring/system-key-wrapping.ts';
import { TenantKeyStore, tenantKeyPages, type WrappedTenantKey } from '../../platform/keyring/tenant-key-store.ts';
import { rewrapKey } from '../../platform/keyring/tenant-key-wrapping.ts';
import { keyEvent } from './key-event.ts';

const pageSize = 200;
const passesMax = 3;

export interface RootRotationReport {
  readonly rootKey: string;
  readonly rewrapped: number;
  /** Keys that were under that root key already. */
  readonly untouched: number;
}

/**
 * Wraps every key anew under the root key that wraps today. No key changes, so nothing that is sealed has to, and servers
 * that have both root keys notice nothing. Started again, it goes on with what is left.
 */
export async function rotateRootKeys(
  { database, rootKeys }: { readonly database: Database; readonly rootKeys: RootKeys },
  onProgress: (done: number) => void,
): Promise<RootRotationReport> {
  const rootKey = rootKeys.primary.id;
  const first = await rewrapAll(database, rootKeys, onProgress);
  let { rewrapped } = first;
  // A key that somebody adds meanwhile may come to stand behind the walk, so it is repeated until nothing is left.
  for (let pass = 1; (await listRootKeys(database)).some((id) => id !== rootKey); pass += 1) {
    if (pass === passesMax) {
      throw new Error(
        `Keys are still being wrapped by another root key than ${rootKey}. Find the process that wraps with it, then run ` +
          'this again. Do not take the other root key away yet.',
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
    for (const key of page) {
      if (isUntouched(key)) count('untouched');
      else if (await replace(database, key, await rewrapKey(rootKeys, key))) count('rewrapped');
    }
  }
  return done;
}

/** One transaction a key: a vault that stops in the middle has some keys under each root key, and both open. */
function replace(database: Database, old: WrappedTenantKey, fresh: WrappedTenantKey): Promise<boolean> {
  return database.forTenant(old.tenantId, async (tx) => {
    const isReplaced = await new TenantKeyStore(tx).updateWrapping(old, fresh);
    if (isReplaced) await recordInTransaction(tx, old.tenantId, 'system', keyEvent(old, 'rewrap'));
    return isReplaced;
  });
}
