import { membersOf } from '../../core/objects/members-of.ts';
import { parseTenantId, type TenantId } from '../../core/identity/ids.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { PurgeStore, purgedTables } from './purge-store.ts';
import { TenantStore } from './tenant-store.ts';

const rowsPerStep = 1_000;
/** The time limit is long because a tenant can have millions of tokens, and nobody waits for the purge. */
const limitMs = 60 * 60_000;

/** Deletes the unreadable rows of a removed tenant, a thousand at a time. Safe to run again. */
export function purgeTenantJob(database: Database): Job {
  return {
    name: 'purge-tenant',
    limitMs,
    async run(payload, signal) {
      const tenantId = parseTenantId(String(membersOf(payload)['tenant_id']));
      const tenant = await database.forTenant(tenantId, (tx) => new TenantStore(tx, tenantId).find());
      if (tenant !== undefined) throw new Error('A tenant that still exists is not purged.');
      for (const table of purgedTables) await purge(database, tenantId, table, signal);
    },
  };
}

async function purge(
  database: Database,
  tenantId: TenantId,
  table: (typeof purgedTables)[number],
  signal: AbortSignal | undefined,
): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    const deleted = await database.forTenant(tenantId, (tx) =>
      new PurgeStore(tx, tenantId).deleteFrom(table, rowsPerStep),
    );
    if (deleted < rowsPerStep) return;
  }
}
