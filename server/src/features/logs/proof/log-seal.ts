import type { Caller } from '../../../core/identity/caller.ts';
import type { SignedCheckpoint } from '../../../platform/audit/seal/checkpoint.ts';
import type { LogReader } from '../../../platform/audit/verify/log-reader.ts';
import { lostSealing, notSigned } from '../../../platform/audit/seal/seal-store.ts';
import { idleSecondsMax } from '../../../platform/audit/seal/waiting-records.ts';
import type { Database } from '../../../platform/database/database.ts';
import { FairLanes } from '../../../platform/waiting/fair-lanes.ts';
import { type Clock, processClock, TimeBudget } from '../../../platform/waiting/time-budget.ts';
import { LogSealStore, type SealingState, type WaitingCount } from './log-seal-store.ts';

export interface LogSeal {
  /** Undefined if nothing has been sealed yet. */
  readonly checkpoint: SignedCheckpoint | undefined;
  readonly waiting: WaitingCount;
  /** Set if sealing has stopped for this tenant and needs to be investigated. */
  readonly stop: { readonly at: Date; readonly reason: string } | undefined;
  readonly worker: { readonly isRunning: boolean; readonly lookedAt: Date | null };
}

export const waitingMax = 10_000;
const countMs = 500;

/** Reports how far the log of a tenant is sealed, and what blocks it. */
export class LogSeals {
  readonly #database: Database;
  readonly #reader: LogReader;
  readonly #clock: Clock;
  readonly #lanes = new FairLanes({ slotsMax: 4, tenantMax: 2, waitingMax: 200, waitMaxMs: 5_000 });
  /** Anyone can check the signatures of checkpoints with these keys. A checkpoint names the version of its key. */
  readonly publicKeys: readonly { readonly version: number; readonly publicKey: Buffer }[];

  constructor(parts: {
    database: Database;
    reader: LogReader;
    publicKeys: readonly { readonly version: number; readonly publicKey: Buffer }[];
    clock?: Clock;
  }) {
    this.#database = parts.database;
    this.#reader = parts.reader;
    this.publicKeys = parts.publicKeys;
    this.#clock = parts.clock ?? processClock;
  }

  find({ tenantId }: Pick<Caller, 'tenantId'>): Promise<LogSeal> {
    return this.#lanes.run(tenantId, async () => {
      const checkpoint = await this.#reader.newestCheckpoint(tenantId);
      return this.#database.forTenant(tenantId, async (tx) => {
        const store = new LogSealStore(tx, tenantId);
        const state = await store.findState();
        if (state === undefined) throw lostSealing();
        const waiting = await store.countWaiting(state, waitingMax, new TimeBudget(countMs, this.#clock));
        return { checkpoint, waiting, stop: toStop(tenantId, state), worker: toWorker(state) };
      });
    });
  }
}

/**
 * Returns the stop. The reason in the table is not repeated, because anyone with write access to it could put any text
 * there.
 */
function toStop(tenantId: string, { stoppedAt }: SealingState): LogSeal['stop'] {
  return stoppedAt === null ? undefined : { at: stoppedAt, reason: notSigned(tenantId) };
}

function toWorker({ lookedAt, idleSeconds }: SealingState): LogSeal['worker'] {
  return { isRunning: idleSeconds !== null && idleSeconds <= idleSecondsMax, lookedAt };
}
