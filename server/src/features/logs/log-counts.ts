import type { Caller } from '../../core/identity/caller.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { askEachNode } from '../../platform/nodes/ask-each-node.ts';
import type { Nodes } from '../../platform/nodes/nodes.ts';
import { FairLanes } from '../../platform/waiting/fair-lanes.ts';
import { type Clock, processClock, TimeBudget } from '../../platform/waiting/time-budget.ts';
import type { LogFilter } from './log.ts';
import { addUpBuckets, countBuckets, type CountedBuckets, type CountedField, topMax } from './log-bucket.ts';
import type { CountRange } from './log-count-range.ts';
import { isBehindBefore, LogCountStore } from './log-count-store.ts';
import { type FieldValues, listFieldValues } from './log-field-values.ts';
import { typesOf } from './log-sql.ts';
import { LogTallyStore, mostFirst, type Ranking, sumUp, type ValueCount } from './log-tally-store.ts';
import { MergedRanking, valuesPerNode } from './merged-ranking.ts';

export interface LogTally extends CountedBuckets {
  readonly top: readonly ValueCount[];
}

interface Asked {
  readonly by: CountedField;
  readonly range: CountRange;
}

const facetsMs = 1_000;
/** The worker may move on between two statements; it does so twice a second at most. */
const triesMax = 3;

/** Numbers of records for charts and lists of filters, from the counters that the worker keeps. Never reads a record. */
export class LogCounts {
  readonly #nodes: Nodes;
  readonly #clock: Clock;
  readonly #lanes = new FairLanes({ placesMax: 4, tenantMax: 2, waitingMax: 200, waitMaxMs: 5_000 });

  constructor(parts: { nodes: Nodes; clock?: Clock }) {
    this.#nodes = parts.nodes;
    this.#clock = parts.clock ?? processClock;
  }

  async count({ tenantId }: Pick<Caller, 'tenantId'>, filter: LogFilter, asked: Asked): Promise<LogTally> {
    const counted = await this.#lanes.run(tenantId, async () => {
      const ranking = this.#nodes.isAlone ? undefined : await this.#rankTogether(tenantId, filter, asked);
      const parts = await this.#ask(tenantId, async (tx) => {
        const progress = new LogCountStore(tx, tenantId);
        const store = new LogTallyStore(tx, tenantId);
        const found = await atOnePlace(progress, () => countBuckets(store, filter, { ...asked, ranking }));
        const isBehind = await isBehindBefore(progress, filter, asked.range);
        return { ...found, isExact: found.isExact && !isBehind };
      });
      return addUpBuckets(parts);
    });
    return { ...counted, top: mostFirst(sumUp(counted.buckets.flatMap(({ counts }) => counts))) };
  }

  /** The most frequent values of every field. */
  async listValues(
    { tenantId }: Pick<Caller, 'tenantId'>,
    filter: LogFilter,
    { range, limit }: { readonly range: CountRange; readonly limit: number },
  ): Promise<FieldValues[]> {
    const budget = new TimeBudget(facetsMs, this.#clock);
    return this.#lanes.run(tenantId, () => listFieldValues(this.#nodes, tenantId, { filter, range, limit, budget }));
  }

  /** All nodes count by the same values. Undefined where these are given by what is asked for. */
  async #rankTogether(tenantId: TenantId, filter: LogFilter, { by, range }: Asked): Promise<Ranking | undefined> {
    if (by === 'entity_type' || filter.facets.length > 0) return undefined;
    const asked = { types: typesOf(filter), range };
    const parts = await this.#ask(tenantId, (tx) =>
      new LogTallyStore(tx, tenantId).rankValues(by, valuesPerNode, asked),
    );
    const merged = new MergedRanking(parts, { limit: topMax, perNode: valuesPerNode });
    const sums =
      merged.open.length === 0
        ? []
        : await this.#ask(tenantId, (tx) => new LogTallyStore(tx, tenantId).sumValues(by, merged.open, asked));
    const { values, isCut } = merged.finish(sums.flat());
    return { values: values.slice(0, topMax), isCut };
  }

  #ask<T>(tenantId: TenantId, work: (tx: Transaction) => Promise<T>): Promise<T[]> {
    return askEachNode(this.#nodes, ({ database }) => database.forTenant(tenantId, work));
  }
}

/** Tries again if the counters have moved on meanwhile, so that parts add up to their total. */
async function atOnePlace<T>(progress: LogCountStore, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const place = await progress.facetsKeptTo();
    const done = await work();
    if (attempt === triesMax || (await progress.facetsKeptTo()) === place) return done;
  }
}
