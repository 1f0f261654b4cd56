import { toCanonicalRights } from '../../core/rights-change/rights-difference.ts';
import type { Caller } from '../../core/identity/caller.ts';
import { successEvent } from '../../platform/audit/record/audit-event.ts';
import { recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import { toChangeDetails } from '../../platform/audit/record/change-details.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { AuthorityStore } from './authority-store.ts';

/**
 * Revokes the management keys that a member has issued, directly or through an application. Otherwise a removed member
 * could invite themselves again. Keys of private and public applications keep working, because a shop depends on them.
 */
export async function endKeysOf(tx: Transaction, caller: Caller, userId: string): Promise<void> {
  const store = new AuthorityStore(tx, caller.tenantId);
  // The statement waits for a key that is just creating another key, but does not see the new key. The next one does.
  for (let ended = await store.endKeysOf(userId); ended.length > 0; ended = await store.endKeysOf(userId)) {
    for (const { keyId, applicationId, ...rights } of ended) {
      await recordInTransaction(tx, caller.tenantId, caller, {
        ...successEvent('application', applicationId, 'update'),
        details: toChangeDetails([`key removed: ${keyId}`], toCanonicalRights(rights)),
      });
    }
  }
}
