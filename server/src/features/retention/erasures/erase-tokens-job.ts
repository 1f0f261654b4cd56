import { setTimeout as pauseFor } from 'node:timers/promises';
import type { Job } from '../../../platform/jobs/job.ts';
import { sweepJob } from '../../../platform/jobs/tenant-sweep.ts';
import { ErasureRun, type ErasureRunParts } from './erasure-run.ts';
import { endErasure } from './erasure-service.ts';
import { ErasureStore, listDueErasures } from './erasure-store.ts';

/** How long a run goes on. The next one begins within a minute. */
const runMs = 50_000;
/** How many batches of one erasure are removed before others have their turn. */
const batchesPerTurn = 20;
/** How long a run waits for the sealer, which seals twice a second, and for tokens that are being changed. */
const pauseMs = 500;

/**
 * Runs all confirmed erasures in turns, and forgets those that were never confirmed. Two workers may do so at the same
 * time: a batch holds the lock of its erasure.
 */
export function eraseTokensJobs(parts: ErasureRunParts): Job[] {
  const { database } = parts;
  return [
    {
      name: 'erase-tokens',
      schedule: { everyMinutes: 1, atMinute: 0 },
      run: (_payload, signal) => runErasures(parts, signal),
    },
    sweepJob(database, {
      name: 'sweep-erasures',
      schedule: { everyMinutes: 60, atMinute: 52 },
      step: async (tx, tenantId, limit) => {
        const store = new ErasureStore(tx, tenantId);
        const lapsed = await store.listLapsed(limit);
        for (const erasure of lapsed) await endErasure(store, erasure, 'cancelled', 'nobody confirmed it in time');
        return lapsed.length;
      },
    }),
  ];
}

async function runErasures(parts: ErasureRunParts, signal: AbortSignal | undefined): Promise<void> {
  const endsAt = performance.now() + runMs;
  const runs = new Map<string, ErasureRun>();
  const failures = new Map<string, unknown>();
  for (;;) {
    const due = (await parts.database.forSystem(listDueErasures)).filter(({ id }) => !failures.has(id));
    let hasMoved = false;
    for (const { tenantId, id } of due) {
      const run = runs.get(id) ?? new ErasureRun(parts, tenantId, id);
      runs.set(id, run);
      try {
        hasMoved = (await takeTurn(run, signal)) || hasMoved;
      } catch (error) {
        // A failure of one erasure must not affect the others. It is reported at the end.
        failures.set(id, error);
      }
    }
    if (due.length === 0 || performance.now() > endsAt) break;
    if (!hasMoved) await pauseFor(pauseMs, undefined, { signal });
  }
  for (const failure of failures.values()) throw failure;
}

/** Returns true if the erasure has come further. */
async function takeTurn(run: ErasureRun, signal: AbortSignal | undefined): Promise<boolean> {
  for (let batches = 0; batches < batchesPerTurn; batches += 1) {
    signal?.throwIfAborted();
    const result = await run.step();
    if (result !== 'more') return batches > 0 || result === 'over';
  }
  return true;
}
