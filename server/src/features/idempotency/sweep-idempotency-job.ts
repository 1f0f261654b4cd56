import { parseTenantId } from '../../core/identity/ids.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { deleteExpiredResults } from './idempotency-store.ts';

const rowsPerStep = 1_000;
const stepsMax = 100;

/** Removes answers whose day is over. They are not repeated after it, swept or not; this gives the space back. */
export function sweepIdempotencyJob(database: Database): Job {
  return {
    name: 'sweep-idempotency',
    cron: '17 * * * *',
    async run() {
      const tenants = await database.forSystem((tx) => tx.query<{ id: string }>({ text: 'select id from tenants' }));
      for (const { id } of tenants) await sweep(database, id);
    },
  };
}

async function sweep(database: Database, id: string): Promise<void> {
  const tenantId = parseTenantId(id);
  for (let step = 0; step < stepsMax; step += 1) {
    const deleted = await database.forTenant(tenantId, (tx) => deleteExpiredResults(tx, tenantId, rowsPerStep));
    if (deleted < rowsPerStep) return;
  }
}
