import type { TenantId } from '../../core/identity/ids.ts';
import { type FacetField, facetFields } from '../../platform/audit/audit-facet.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { askEachNode } from '../../platform/nodes/ask-each-node.ts';
import type { Nodes } from '../../platform/nodes/nodes.ts';
import type { TimeBudget } from '../../platform/waiting/time-budget.ts';
import type { LogFilter } from './log.ts';
import type { CountedField } from './log-bucket.ts';
import type { CountRange } from './log-count-range.ts';
import { isBehindBefore, LogCountStore } from './log-count-store.ts';
import { typesOf } from './log-sql.ts';
import { LogTallyStore, mostFirst, type Ranking, sumUp, type ValueCount } from './log-tally-store.ts';
import { MergedRanking, valuesPerNode } from './merged-ranking.ts';

export interface FieldValues {
  readonly field: CountedField;
  readonly values: readonly ValueCount[];
  /** Whether these are all values that occur. */
  readonly isComplete: boolean;
}

interface Asked {
  readonly filter: LogFilter;
  readonly range: CountRange;
  readonly limit: number;
  readonly budget: TimeBudget;
}

/** What one database knows. Fields for which there was no time left are missing. */
interface Part {
  readonly isBehind: boolean;
  readonly kinds: readonly ValueCount[];
  readonly rankings: ReadonlyMap<FacetField, Ranking>;
}

/** The most frequent values of every field, of all nodes together. */
export async function listFieldValues(nodes: Nodes, tenantId: TenantId, asked: Asked): Promise<FieldValues[]> {
  const { limit } = asked;
  // One more than asked for tells whether there are others.
  const perNode = nodes.isAlone ? limit + 1 : valuesPerNode;
  const parts = await askEachNode(nodes, ({ database }) =>
    database.forTenant(tenantId, (tx) => readPart(tx, tenantId, { ...asked, perNode })),
  );
  const merged = new Map(facetFields.map((field) => [field, mergeField(field, parts, { limit, perNode })]));
  const counted = await countOpen(nodes, tenantId, { ...asked, merged });
  const isBehind = parts.some((part) => part.isBehind);
  const kinds = mostFirst(sumUp(parts.flatMap((part) => part.kinds)));
  const fields = [...merged].map(([field, ranking]) => {
    const counts = counted.get(field);
    if (ranking === undefined || counts === undefined) return { field, values: [], isComplete: false };
    const { values, isCut } = ranking.finish(counts);
    return toFieldValues(field, values, { limit, isCut: isCut || isBehind });
  });
  return [toFieldValues('entity_type', kinds, { limit, isCut: isBehind }), ...fields];
}

function toFieldValues(
  field: CountedField,
  values: readonly ValueCount[],
  { limit, isCut }: { readonly limit: number; readonly isCut: boolean },
): FieldValues {
  return { field, values: values.slice(0, limit), isComplete: !isCut && values.length <= limit };
}

async function readPart(
  tx: Transaction,
  tenantId: TenantId,
  { filter, range, budget, perNode }: Asked & { readonly perNode: number },
): Promise<Part> {
  const store = new LogTallyStore(tx, tenantId);
  const asked = { types: typesOf(filter), range };
  const isBehind = await isBehindBefore(new LogCountStore(tx, tenantId), filter, range);
  const kinds = await store.sumKinds(asked);
  const rankings = new Map<FacetField, Ranking>();
  for (const field of facetFields) {
    if (!budget.isSpent) rankings.set(field, await store.rankValues(field, perNode, asked));
  }
  return { isBehind, kinds, rankings };
}

/** Undefined if a node had no time left for the field: without its part the numbers would be too small. */
function mergeField(
  field: FacetField,
  parts: readonly Part[],
  sizes: { readonly limit: number; readonly perNode: number },
): MergedRanking | undefined {
  const rankings = parts.flatMap((part) => part.rankings.get(field) ?? []);
  return rankings.length < parts.length ? undefined : new MergedRanking(rankings, sizes);
}

type Merged = ReadonlyMap<FacetField, MergedRanking | undefined>;

/** The numbers of open values on each node. Fields for which there was no time left are missing. */
async function countOpen(
  nodes: Nodes,
  tenantId: TenantId,
  { merged, filter, range, budget }: Asked & { readonly merged: Merged },
): Promise<ReadonlyMap<FacetField, readonly ValueCount[]>> {
  const asked = { types: typesOf(filter), range };
  const open = [...merged].map(([field, ranking]) => ({ field, values: ranking?.open ?? [] }));
  const needed = open.filter(({ values }) => values.length > 0);
  if (needed.length === 0) return new Map(open.map(({ field }) => [field, []]));
  const parts = await askEachNode(nodes, ({ database }) =>
    database.forTenant(tenantId, async (tx) => {
      const store = new LogTallyStore(tx, tenantId);
      const counts = new Map<FacetField, readonly ValueCount[]>(open.map(({ field }) => [field, []]));
      for (const { field, values } of needed) {
        if (budget.isSpent) counts.delete(field);
        else counts.set(field, await store.sumValues(field, values, asked));
      }
      return counts;
    }),
  );
  const whole = open.filter(({ field }) => parts.every((part) => part.has(field)));
  return new Map(whole.map(({ field }) => [field, parts.flatMap((part) => part.get(field) ?? [])]));
}
