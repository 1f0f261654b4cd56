import { findArchivedRemovals } from '../../platform/audit/archive/archived-removals.ts';
import { LogArchive } from '../../platform/audit/archive/log-archive.ts';
import type { Retention } from '../../platform/audit/retention/audit-retention-job.ts';
import type { Database } from '../../platform/database/database.ts';
import { type ObjectStoreConfig, openObjectStore } from '../../platform/object-storage/open-object-store.ts';
import type { VaultCore } from './vault-core.ts';

/** Makes retention wait for the archive, if there is one. */
export function findArchivedIn(
  config: ObjectStoreConfig | undefined,
  database: Database,
  core: VaultCore,
): Pick<Retention, 'findArchived'> {
  if (config === undefined) return {};
  const { publicKey } = core.systemKeys.auditSigner();
  return {
    findArchived: async (month) => {
      const store = openObjectStore(config);
      try {
        return await findArchivedRemovals(database, new LogArchive(store, publicKey), month);
      } finally {
        store.close();
      }
    },
  };
}
