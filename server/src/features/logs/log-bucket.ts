import { type FacetField, facetFields } from '../../platform/audit/audit-facet.ts';
import type { Facet, LogFilter } from './log.ts';
import { type CountRange, listStarts } from './log-count-range.ts';
import { typesOf } from './log-sql.ts';
import {
  type KindCount,
  type LogTallyStore,
  mostFirst,
  type Ranking,
  sumUp,
  type ValueCount,
} from './log-tally-store.ts';

/** What records are counted by. */
export const countedFields = [...facetFields, 'entity_type'] as const;
export type CountedField = (typeof countedFields)[number];

export interface CountBucket {
  readonly start: number;
  readonly total: number;
  readonly counts: readonly ValueCount[];
}

export interface CountedBuckets {
  /** What `counts` are by: the field of a filter, where there is one on another field than asked for. */
  readonly by: CountedField;
  readonly isExact: boolean;
  readonly buckets: readonly CountBucket[];
}

export const topMax = 20;

interface Asked {
  readonly types: readonly string[];
  readonly range: CountRange;
}

/** What one database counts. `ranking` are the values to count by, if it is known already which are the most frequent. */
export async function countBuckets(
  store: LogTallyStore,
  filter: LogFilter,
  {
    by,
    range,
    ranking,
  }: { readonly by: CountedField; readonly range: CountRange; readonly ranking?: Ranking | undefined },
): Promise<CountedBuckets> {
  const { facets } = filter;
  const asked = { types: typesOf(filter), range };
  const [first, ...others] = facets;
  if (first === undefined) {
    const kinds = await store.countAll(asked);
    if (by === 'entity_type') return { by, isExact: true, buckets: bucketsByKind(range, kinds) };
    return countByValue(store, by, { ...asked, kinds, ranking });
  }
  const kinds = smallest(await countEach(store, facets, asked));
  const isExact = others.length === 0;
  if (by === 'entity_type') return { by, isExact, buckets: bucketsByKind(range, kinds) };
  // Counters know one field at a time.
  const counts = isExact ? toValueCounts(kinds, first.value) : [];
  return { by: isExact ? first.field : by, isExact, buckets: toBuckets(range, kinds, counts) };
}

/** What several databases have counted over the same time, together. */
export function addUpBuckets([first, ...others]: readonly CountedBuckets[]): CountedBuckets {
  if (first === undefined) throw new TypeError('Nothing was counted.');
  if (others.length === 0) return first;
  const parts = [first, ...others];
  return {
    by: first.by,
    isExact: parts.every(({ isExact }) => isExact),
    buckets: first.buckets.map(({ start }, index) => {
      const same = parts.flatMap(({ buckets }) => buckets[index] ?? []);
      const counts = mostFirst(sumUp(same.flatMap((bucket) => bucket.counts)));
      return { start, total: same.reduce((sum, { total }) => sum + total, 0), counts };
    }),
  };
}

async function countByValue(
  store: LogTallyStore,
  by: FacetField,
  { types, range, kinds, ranking }: Asked & { kinds: readonly KindCount[]; ranking: Ranking | undefined },
): Promise<CountedBuckets> {
  const { values, isCut } = ranking ?? (await store.rankValues(by, topMax, { types, range }));
  const counts = await store.countValues(
    by,
    values.map(({ value }) => value),
    { types, range },
  );
  return { by, isExact: !isCut, buckets: toBuckets(range, kinds, counts) };
}

async function countEach(store: LogTallyStore, facets: readonly Facet[], asked: Asked): Promise<KindCount[][]> {
  const counted: KindCount[][] = [];
  for (const facet of facets) counted.push(await store.countOf(facet, asked));
  return counted;
}

/** No more records can have all values than have the rarest of them. */
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

/** Every interval, even those in which nothing happened. */
function toBuckets(range: CountRange, kinds: readonly KindCount[], counts: readonly StartedCount[]): CountBucket[] {
  const totals = Map.groupBy(kinds, ({ start }) => start);
  const values = Map.groupBy(counts, ({ start }) => start);
  return listStarts(range).map((start) => ({
    start,
    total: (totals.get(start) ?? []).reduce((sum, { records }) => sum + records, 0),
    counts: mostFirst(sumUp(values.get(start) ?? [])),
  }));
}
