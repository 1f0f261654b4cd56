import type { TenantId } from '../../core/identity/ids.ts';
import type { Database, Transaction } from '../database/database.ts';
import { listTenantIds } from '../database/ground/database-inspection.ts';
import type { Job } from './job.ts';
import type { Schedule } from './schedule.ts';

const rowsPerStep = 1_000;
/** What is left after so many steps waits for the next run: one tenant must not keep the others waiting. */
const stepsMax = 100;

/** Rows that have had their day. They are invisible from that moment on; a sweep gives their space back. */
export interface Sweep {
  readonly name: string;
  readonly schedule: Schedule;
  /** Removes up to `limit` rows of one tenant and tells how many it found. Two at the same time do no harm. */
  readonly step: (tx: Transaction, tenantId: TenantId, limit: number) => Promise<number>;
}

/** Goes through all tenants, a thousand rows a transaction. */
export function sweepJob(database: Database, { name, schedule, step }: Sweep): Job {
  return {
    name,
    schedule,
    async run(_payload, signal) {
      const failures: unknown[] = [];
      // One tenant in trouble must not keep the others waiting; that it was is told at the end.
      for (const tenantId of fromAnywhere(await listTenantIds(database))) {
        signal?.throwIfAborted();
        await sweepTenant(database, tenantId, step, signal).catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}

async function sweepTenant(
  database: Database,
  tenantId: TenantId,
  step: Sweep['step'],
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let count = 0; count < stepsMax; count += 1) {
    signal?.throwIfAborted();
    const removed = await database.forTenant(tenantId, (tx) => step(tx, tenantId, rowsPerStep));
    if (removed < rowsPerStep) return;
  }
}

/** Begins with another one each time: where a run has to end before its last tenant, that is not always the same. */
function fromAnywhere<T>(items: readonly T[]): readonly T[] {
  const first = Math.floor(Math.random() * items.length);
  return [...items.slice(first), ...items.slice(0, first)];
}
