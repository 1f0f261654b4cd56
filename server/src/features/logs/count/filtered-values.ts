import { facetFields } from '../../../platform/audit/record/audit-facet.ts';
import type { TimeBudget } from '../../../platform/waiting/time-budget.ts';
import type { LogStore } from '../list/log-store.ts';
import type { Log, LogFilter } from '../model/log.ts';
import { mostFirst, type ValueCount } from './log-tally-store.ts';

/** The fields by which records are counted. */
export const countedFields = [...facetFields, 'entity_type'] as const;
export type CountedField = (typeof countedFields)[number];

/** The values of a field. */
export interface FieldValues {
  readonly field: CountedField;
  readonly values: readonly ValueCount[];
  /** True if the list contains every value that occurs. */
  readonly isComplete: boolean;
}

/** The values of all fields. */
export interface ListedValues {
  readonly fields: readonly FieldValues[];
  /** False if there are more records than were read. */
  readonly isExact: boolean;
}

/**
 * The number of records that are read to count the values that filters leave. Counters know one field at a time, so they
 * cannot tell.
 */
export const filteredRecordsMax = 2_000;

/** Returns true if counters alone cannot list the values. */
export function isFiltered({ entityId, requestId, facets, exclusions }: LogFilter): boolean {
  return entityId !== undefined || requestId !== undefined || facets.length > 0 || exclusions.length > 0;
}

/** Counts the values of the newest matching records. A field with a filter is counted as if it had none. */
export async function countFiltered(
  store: LogStore,
  filter: LogFilter,
  { limit, budget }: { readonly limit: number; readonly budget: TimeBudget },
): Promise<ListedValues> {
  const fields: FieldValues[] = [];
  let isExact = true;
  let shared: Read | undefined;
  for (const field of countedFields) {
    const wider = withoutField(filter, field);
    const isShared = wider === filter;
    const read: Read = (isShared ? shared : undefined) ?? (await readNewest(store, wider, budget));
    if (isShared) shared = read;
    isExact &&= read.isWhole;
    const values = countValues(read.logs, field);
    fields.push({ field, values: values.slice(0, limit), isComplete: read.isWhole && values.length <= limit });
  }
  return { fields, isExact };
}

interface Read {
  readonly logs: readonly Log[];
  readonly isWhole: boolean;
}

async function readNewest(store: LogStore, filter: LogFilter, budget: TimeBudget): Promise<Read> {
  if (budget.isSpent) return { logs: [], isWhole: false };
  const slice = { offset: 0, limit: filteredRecordsMax + 1, after: undefined };
  const { logs, stoppedAt } = await store.list(filter, slice, budget);
  return {
    logs: logs.slice(0, filteredRecordsMax),
    isWhole: logs.length <= filteredRecordsMax && stoppedAt === undefined,
  };
}

/** Returns the same filter if the field has none. */
function withoutField(filter: LogFilter, field: CountedField): LogFilter {
  if (field === 'entity_type') return filter.entityType === undefined ? filter : { ...filter, entityType: undefined };
  const facets = filter.facets.filter((facet) => facet.field !== field);
  return facets.length === filter.facets.length ? filter : { ...filter, facets };
}

const columns = {
  actor_id: 'actorId',
  actor_type: 'actorType',
  operation: 'operation',
  outcome: 'outcome',
  transform: 'transform',
  key_id: 'keyId',
  source_address: 'sourceAddress',
  destination: 'destination',
  entity_type: 'entityType',
} as const satisfies Readonly<Record<CountedField, keyof Log>>;

function countValues(logs: readonly Log[], field: CountedField): ValueCount[] {
  const counts = new Map<string, number>();
  for (const log of logs) {
    const value = log[columns[field]];
    if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return mostFirst([...counts].map(([value, records]) => ({ value, records })));
}
