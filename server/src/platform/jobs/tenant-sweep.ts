import type { TenantId } from '../../core/identity/ids.ts';
import type { Database, Transaction } from '../database/database.ts';
import { listTenantIds } from '../database/ground/database-inspection.ts';
import type { Job } from './job.ts';
import type { Schedule } from './job.ts';

const rowsPerStep = 1_000;
/**
 * The maximum number of steps per tenant and run. Remaining rows are left to the next run, so that one tenant does not
 * delay the others.
 */
const stepsMax = 100;

/** A sweep of expired rows. They are invisible from the moment they expire, and the sweep reclaims their space. */
export interface Sweep {
  readonly name: string;
  readonly schedule: Schedule;
  /** Removes up to `limit` rows of one tenant and returns how many it found. It is safe to run concurrently. */
  readonly step: (tx: Transaction, tenantId: TenantId, limit: number) => Promise<number>;
}

/** Returns a job that sweeps all tenants, in transactions of a thousand rows. */
export function sweepJob(database: Database, { name, schedule, step }: Sweep): Job {
  return {
    name,
    schedule,
    async run(_payload, signal) {
      const failures: unknown[] = [];
      // A failure for one tenant must not affect the others. It is reported at the end.
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

/**
 * Rotates the items to start with a random one. If runs are cut short, it is not always the same tenant that misses
 * out.
 */
function fromAnywhere<T>(items: readonly T[]): readonly T[] {
  const first = Math.floor(Math.random() * items.length);
  return [...items.slice(first), ...items.slice(0, first)];
}
