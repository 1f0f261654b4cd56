import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import type { TimeBudget } from '../../../platform/waiting/time-budget.ts';

export interface SealingState {
  /** The records of the tenant from this position in sealing order up to `end` are not sealed. */
  readonly sealedTo: string;
  readonly end: string;
  readonly stoppedAt: Date | null;
  readonly lookedAt: Date | null;
  /** The seconds since a worker last checked. Null if none ever has. */
  readonly idleSeconds: number | null;
}

export interface WaitingCount {
  readonly records: number;
  readonly isExact: boolean;
  readonly oldestAt: Date | undefined;
}

/**
 * The size of the first step. Transactions of all tenants share one sequence of numbers, so later steps cover more
 * numbers if a step was quick.
 */
const firstStep = 50_000n;
const stepGrowth = 8n;
const quickMs = 50;

/** Reads the progress of the sealer for one tenant, with the rights of that tenant. */
export class LogSealStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
  }

  /** Returns undefined if the row is missing from the table. */
  async findState(): Promise<SealingState | undefined> {
    const [row] = await this.#tx.query<SealingState>({
      text: `select coalesce(stop.order_from, sealing.sealed_to)::text as "sealedTo",
          audit_order(pg_snapshot_xmax(pg_current_snapshot()))::text as end, stop.stopped_at as "stoppedAt",
          sealing.looked_at as "lookedAt", extract(epoch from clock_timestamp() - sealing.looked_at)::float8 as "idleSeconds"
        from audit_sealing sealing left join audit_seal_stops stop on stop.tenant_id = $1`,
      values: [this.#tenantId],
    });
    return row;
  }

  /**
   * Counts the waiting records, up to a limit and while there is time. No index separates the waiting records of a
   * tenant from those of others.
   */
  async countWaiting({ sealedTo, end }: SealingState, limit: number, budget: TimeBudget): Promise<WaitingCount> {
    const last = BigInt(end);
    let [from, step] = [BigInt(sealedTo), firstStep];
    let counted: WaitingCount = { records: 0, isExact: true, oldestAt: undefined };
    while (from < last) {
      if (budget.isSpent || counted.records >= limit) return { ...counted, isExact: false };
      const startedAt = budget.clock();
      const to = from + step < last ? from + step : last;
      counted = add(counted, await this.#countBetween(from, to, limit - counted.records));
      if (budget.clock() - startedAt < quickMs) step *= stepGrowth;
      from = to;
    }
    return { ...counted, isExact: counted.records < limit };
  }

  async #countBetween(from: bigint, to: bigint, limit: number): Promise<{ records: number; oldestAt: Date | null }> {
    const [row] = await this.#tx.query<{ records: number; oldestAt: Date | null }>({
      text: `select count(*)::float8 as records, min(created_at) as "oldestAt" from (
          select r.created_at from audit_records r
          where r.tenant_id = $1 and r.sealing_order >= $2 and r.sealing_order < $3 order by r.sealing_order limit $4) waiting`,
      values: [this.#tenantId, String(from), String(to), limit],
    });
    return row ?? { records: 0, oldestAt: null };
  }
}

function add(counted: WaitingCount, more: { readonly records: number; readonly oldestAt: Date | null }): WaitingCount {
  const times = [counted.oldestAt, more.oldestAt].flatMap((time) => time?.getTime() ?? []);
  return {
    ...counted,
    records: counted.records + more.records,
    oldestAt: times.length === 0 ? undefined : new Date(Math.min(...times)),
  };
}
