import type { Database } from '../../database/database.ts';
import type { MonthRemoval } from '../retention/month-removal.ts';
import { toRemovedMonth } from '../retention/month-removal.ts';
import { RetentionStore } from '../retention/retention-store.ts';
import type { LogArchive } from './log-archive.ts';

/**
 * Returns what is removed from each tenant's log when an archived month is dropped. Returns undefined unless the
 * archive says that it has everything that is sealed of the month. Throws unless it really has: after the drop, nothing
 * else does.
 */
export async function findArchivedRemovals(
  database: Database,
  archive: LogArchive,
  month: string,
): Promise<readonly MonthRemoval[] | undefined> {
  const manifest = await archive.readManifest(toRemovedMonth(month));
  if (manifest === undefined) return undefined;
  const newest = await database.forSealer((tx) => new RetentionStore(tx).listNewestIn(month));
  const ends = new Set(manifest.files.map(({ tenant_id, last, root }) => `${tenant_id} ${last} ${root}`));
  const isWhole = newest.every(({ tenantId, number, root }) =>
    ends.has(`${tenantId} ${number} ${root.toString('base64')}`),
  );
  if (!isWhole) return undefined;
  await archive.verifyMonth(manifest);
  return newest.map(({ tenantId, number, root }) => ({ tenantId, month, number, root, isArchived: true as const }));
}
