import type { Caller } from '../../../core/identity/caller.ts';
import { type FacetField, facetFields } from '../../../platform/audit/record/audit-facet.ts';
import type { Database } from '../../../platform/database/database.ts';
import { FairLanes } from '../../../platform/waiting/fair-lanes.ts';
import { type Clock, processClock, TimeBudget } from '../../../platform/waiting/time-budget.ts';
import type { Facet, LogFilter } from '../model/log.ts';
import { type CountRange, listStarts } from './log-count-range.ts';
import { LogCountStore } from '../list/log-count-store.ts';
import { LogStore } from '../list/log-store.ts';
import {
  type CountedField,
  countFiltered,
  type FieldValues,
  isFiltered,
  type ListedValues,
} from './filtered-values.ts';
import { typesOf } from '../model/log-sql.ts';
import { type KindCount, LogTallyStore, mostFirst, type ValueCount } from './log-tally-store.ts';

export interface CountBucket {
  readonly start: number;
  readonly total: number;
  readonly counts: readonly ValueCount[];
}

export interface LogTally {
  /** The field that `counts` are grouped by. It is the field of the filter if that differs from the requested field. */
  readonly by: CountedField;
  readonly isExact: boolean;
  readonly buckets: readonly CountBucket[];
  readonly top: readonly ValueCount[];
}

export const topMax = 20;
const facetsMs = 1_000;
/** The worker may advance between two statements, at most twice a second. */
const triesMax = 3;

type Counted = Pick<LogTally, 'by' | 'isExact' | 'buckets'>;

/**
 * Counts records for charts and lists of filters, from the counters that the worker maintains. It reads records only to
 * list the values that filters leave.
 */
export class LogCounts {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #lanes = new FairLanes({ slotsMax: 4, tenantMax: 2, waitingMax: 200, waitMaxMs: 5_000 });

  constructor(parts: { database: Database; clock?: Clock }) {
    this.#database = parts.database;
    this.#clock = parts.clock ?? processClock;
  }

  async count(
    { tenantId }: Pick<Caller, 'tenantId'>,
    filter: LogFilter,
    asked: { readonly by: CountedField; readonly range: CountRange },
  ): Promise<LogTally> {
    const counted = await this.#lanes.run(tenantId, () =>
      this.#database.forTenant(tenantId, async (tx) => {
        const progress = new LogCountStore(tx, tenantId);
        const found = await atOnePlace(progress, () => countBuckets(new LogTallyStore(tx, tenantId), filter, asked));
        const isBehind = await isBehindBefore(progress, filter, asked.range);
        return { ...found, isExact: found.isExact && !isBehind };
      }),
    );
    return { ...counted, top: mostFirst(sumUp(counted.buckets.flatMap(({ counts }) => counts))) };
  }

  /** Returns the most frequent values of every field. */
  async listValues(
    { tenantId }: Pick<Caller, 'tenantId'>,
    filter: LogFilter,
    { range, limit }: { readonly range: CountRange; readonly limit: number },
  ): Promise<ListedValues> {
    const budget = new TimeBudget(facetsMs, this.#clock);
    const asked = { types: typesOf(filter), range };
    return this.#lanes.run(tenantId, () =>
      this.#database.forTenant(tenantId, async (tx) => {
        if (isFiltered(filter)) {
          const within = { ...filter, from: new Date(range.from), to: new Date(range.to) };
          return countFiltered(new LogStore(tx, tenantId), within, { limit, budget });
        }
        const store = new LogTallyStore(tx, tenantId);
        const isBehind = await isBehindBefore(new LogCountStore(tx, tenantId), filter, range);
        const kinds = await store.sumKinds(asked);
        const fields = [toFieldValues('entity_type', kinds, { limit, isCut: isBehind })];
        for (const field of facetFields) {
          // Reading one more value than requested shows whether there are others.
          const ranking = budget.isSpent
            ? { values: [], isCut: true }
            : await store.rankValues(field, limit + 1, asked);
          fields.push(toFieldValues(field, ranking.values, { limit, isCut: ranking.isCut || isBehind }));
        }
        return { fields, isExact: !isBehind };
      }),
    );
  }
}

function toFieldValues(
  field: CountedField,
  values: readonly ValueCount[],
  { limit, isCut }: { readonly limit: number; readonly isCut: boolean },
): FieldValues {
  return { field, values: values.slice(0, limit), isComplete: !isCut && values.length <= limit };
}

/** Retries if the counters have advanced in the meantime, so that parts add up to their total. */
async function atOnePlace<T>(progress: LogCountStore, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const place = await progress.facetsKeptTo();
    const done = await work();
    if (attempt === triesMax || (await progress.facetsKeptTo()) === place) return done;
  }
}

/** Returns true if the worker is well behind and has not reached the end of the range. */
async function isBehindBefore(progress: LogCountStore, filter: LogFilter, { to }: CountRange): Promise<boolean> {
  const countedTo = await progress.findBehind(filter);
  return countedTo !== undefined && (countedTo === 'never' || countedTo.getTime() < to);
}

async function countBuckets(
  store: LogTallyStore,
  filter: LogFilter,
  { by, range }: { readonly by: CountedField; readonly range: CountRange },
): Promise<Counted> {
  const { facets } = filter;
  const asked = { types: typesOf(filter), range };
  const [first, ...others] = facets;
  if (first === undefined) {
    const kinds = await store.countAll(asked);
    if (by === 'entity_type') return { by, isExact: true, buckets: bucketsByKind(range, kinds) };
    return countByValue(store, by, { ...asked, kinds });
  }
  const kinds = smallest(await countEach(store, facets, asked));
  const isExact = others.length === 0;
  if (by === 'entity_type') return { by, isExact, buckets: bucketsByKind(range, kinds) };
  // Counters cover one field at a time.
  const counts = isExact ? toValueCounts(kinds, first.value) : [];
  return { by: isExact ? first.field : by, isExact, buckets: toBuckets(range, kinds, counts) };
}

async function countByValue(
  store: LogTallyStore,
  by: FacetField,
  { types, range, kinds }: { types: readonly string[]; range: CountRange; kinds: readonly KindCount[] },
): Promise<Counted> {
  const { values, isCut } = await store.rankValues(by, topMax, { types, range });
  const counts = await store.countValues(
    by,
    values.map(({ value }) => value),
    { types, range },
  );
  return { by, isExact: !isCut, buckets: toBuckets(range, kinds, counts) };
}

async function countEach(
  store: LogTallyStore,
  facets: readonly Facet[],
  asked: { readonly types: readonly string[]; readonly range: CountRange },
): Promise<KindCount[][]> {
  const counted: KindCount[][] = [];
  for (const facet of facets) counted.push(await store.countOf(facet, asked));
  return counted;
}

/**
 * Returns the smallest count for each kind and interval. The number of records with all values cannot exceed the number
 * with the rarest value.
 */
function smallest([first = [], ...others]: readonly (readonly KindCount[])[]): KindCount[] {
  const rest = others.map((counts) => new Map(counts.map((count) => [keyOf(count), count.records])));
  return first
    .map((count) => ({ ...count, records: Math.min(count.records, ...rest.map((one) => one.get(keyOf(count)) ?? 0)) }))
    .filter(({ records }) => records > 0);
}

function keyOf({ start, entityType }: KindCount): string {
  return `${start} ${entityType}`;
}

type StartedCount = ValueCount & { readonly start: number };

function toValueCounts(kinds: readonly KindCount[], value: string): StartedCount[] {
  return kinds.map(({ start, records }) => ({ start, value, records }));
}

function bucketsByKind(range: CountRange, kinds: readonly KindCount[]): CountBucket[] {
  return toBuckets(
    range,
    kinds,
    kinds.map(({ start, entityType, records }) => ({ start, value: entityType, records })),
  );
}

/** Returns every interval, even those without records. */
function toBuckets(range: CountRange, kinds: readonly KindCount[], counts: readonly StartedCount[]): CountBucket[] {
  const totals = Map.groupBy(kinds, ({ start }) => start);
  const values = Map.groupBy(counts, ({ start }) => start);
  return listStarts(range).map((start) => ({
    start,
    total: (totals.get(start) ?? []).reduce((sum, { records }) => sum + records, 0),
    counts: mostFirst(sumUp(values.get(start) ?? [])),
  }));
}

function sumUp(counts: readonly ValueCount[]): ValueCount[] {
  const sums = new Map<string, number>();
  for (const { value, records } of counts) sums.set(value, (sums.get(value) ?? 0) + records);
  return [...sums].map(([value, records]) => ({ value, records }));
}
