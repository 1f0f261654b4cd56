import type { Caller } from '../../core/identity/caller.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { SignedCheckpoint } from '../../platform/audit/checkpoint.ts';
import type { LogReader } from '../../platform/audit/log-reader.ts';
import { lostSealing, notSigned } from '../../platform/audit/seal-store.ts';
import { idleSecondsMax } from '../../platform/audit/waiting-records.ts';
import { askEachNode } from '../../platform/nodes/ask-each-node.ts';
import type { Nodes, PerNode, VaultNode } from '../../platform/nodes/nodes.ts';
import { FairLanes } from '../../platform/waiting/fair-lanes.ts';
import { type Clock, processClock, TimeBudget } from '../../platform/waiting/time-budget.ts';
import { LogSealStore, type SealingState, type WaitingCount } from './log-seal-store.ts';

/** How far the part of the log is sealed that one database holds. */
interface SealPart {
  /** Undefined if nothing has been sealed yet. */
  readonly checkpoint: SignedCheckpoint | undefined;
  readonly waiting: WaitingCount;
  /** Undefined unless nothing is sealed for this tenant until somebody has looked. */
  readonly stop: { readonly at: Date; readonly reason: string } | undefined;
  readonly worker: { readonly isRunning: boolean; readonly lookedAt: Date | null };
}

/** Each database has a tree of its own: `checkpoint` is that of home. */
export interface LogSeal extends SealPart {
  /** The newest of each other node that has sealed something. */
  readonly nodeCheckpoints: readonly SignedCheckpoint[];
}

export const waitingMax = 10_000;
const countMs = 500;

/** How far the log of a tenant is sealed, and what holds it up. */
export class LogSeals {
  readonly #nodes: Nodes;
  readonly #readers: PerNode<LogReader>;
  readonly #clock: Clock;
  readonly #lanes = new FairLanes({ placesMax: 4, tenantMax: 2, waitingMax: 200, waitMaxMs: 5_000 });
  /** With these, anyone checks the signatures of checkpoints, which name the version. */
  readonly publicKeys: readonly { readonly version: number; readonly publicKey: Buffer }[];

  constructor(parts: {
    nodes: Nodes;
    readers: PerNode<LogReader>;
    publicKeys: readonly { readonly version: number; readonly publicKey: Buffer }[];
    clock?: Clock;
  }) {
    this.#nodes = parts.nodes;
    this.#readers = parts.readers;
    this.publicKeys = parts.publicKeys;
    this.#clock = parts.clock ?? processClock;
  }

  find({ tenantId }: Pick<Caller, 'tenantId'>): Promise<LogSeal> {
    return this.#lanes.run(tenantId, async () => {
      const [home, ...others] = await askEachNode(this.#nodes, (node) => this.#findPart(node, tenantId));
      if (home === undefined) throw new TypeError('There is no vault without a database.');
      return others.length === 0 ? { ...home, nodeCheckpoints: [] } : mergeParts(home, others);
    });
  }

  async #findPart(node: VaultNode, tenantId: TenantId): Promise<SealPart> {
    const checkpoint = await this.#readers.of(node).newestCheckpoint(tenantId);
    return node.database.forTenant(tenantId, async (tx) => {
      const store = new LogSealStore(tx, tenantId);
      const state = await store.findState();
      if (state === undefined) throw lostSealing();
      const waiting = await store.countWaiting(state, waitingMax, new TimeBudget(countMs, this.#clock));
      return { checkpoint, waiting, stop: toStop(tenantId, state), worker: toWorker(state) };
    });
  }
}

/** A part that nobody seals is not made up for by the others, so the worst of each counts. */
function mergeParts(home: SealPart, others: readonly SealPart[]): LogSeal {
  const parts = [home, ...others];
  const lookedAt = parts.map(({ worker }) => worker.lookedAt?.getTime() ?? Number.NEGATIVE_INFINITY);
  const earliest = Math.min(...lookedAt);
  const stops = parts.flatMap(({ stop }) => stop ?? []);
  return {
    checkpoint: home.checkpoint,
    nodeCheckpoints: others.flatMap(({ checkpoint }) => checkpoint ?? []),
    waiting: addUpWaiting(parts.map(({ waiting }) => waiting)),
    stop: stops.toSorted((a, b) => a.at.getTime() - b.at.getTime())[0],
    worker: {
      isRunning: parts.every(({ worker }) => worker.isRunning),
      lookedAt: Number.isFinite(earliest) ? new Date(earliest) : null,
    },
  };
}

function addUpWaiting(parts: readonly WaitingCount[]): WaitingCount {
  const records = parts.reduce((sum, part) => sum + part.records, 0);
  const times = parts.flatMap(({ oldestAt }) => oldestAt?.getTime() ?? []);
  return {
    records: Math.min(records, waitingMax),
    isExact: records < waitingMax && parts.every(({ isExact }) => isExact),
    oldestAt: times.length === 0 ? undefined : new Date(Math.min(...times)),
  };
}

/** The reason in the table is not repeated: anyone who can write there could have it say anything. */
function toStop(tenantId: string, { stoppedAt }: SealingState): LogSeal['stop'] {
  return stoppedAt === null ? undefined : { at: stoppedAt, reason: notSigned(tenantId) };
}

function toWorker({ lookedAt, idleSeconds }: SealingState): LogSeal['worker'] {
  return { isRunning: idleSeconds !== null && idleSeconds <= idleSecondsMax, lookedAt };
}
