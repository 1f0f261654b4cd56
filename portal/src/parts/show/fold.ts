/** The fields of a record that decide whether it is folded together with its neighbours. */
interface Foldable {
  readonly actor_id?: string;
  readonly actor_type?: string;
  readonly operation: string;
  readonly outcome: string;
  readonly transform?: string;
  readonly destination?: string;
  readonly details?: { readonly [name: string]: unknown };
  readonly created_at: string;
}

/** Neighbours in a list: a single record, several page views of members, or the same deed again and again. */
export interface Fold<Record> {
  readonly kind: 'record' | 'views' | 'repeats';
  readonly records: readonly [Record, ...Record[]];
}

/** The number of equal neighbours that are worth folding. */
const repeatsMin = 4;

/**
 * Returns true for what members see by merely looking at pages of the portal: nothing is changed, nothing is refused, no
 * plaintext is shown, and nothing is downloaded.
 */
export function isPageView({ actor_type: type, operation, outcome, transform, details }: Foldable): boolean {
  return (
    type === 'user' &&
    outcome === 'success' &&
    (operation === 'read' || operation === 'search') &&
    transform !== 'reveal' &&
    details?.['via'] !== 'download'
  );
}

/** Folds neighbours. The order stays, no record is dropped, and nothing is folded across days. */
export function fold<Record extends Foldable>(records: readonly Record[]): Fold<Record>[] {
  const folds: Fold<Record>[] = [];
  for (const run of runsOf(records)) {
    const [first] = run;
    if (isPageView(first)) folds.push({ kind: run.length === 1 ? 'record' : 'views', records: run });
    else if (run.length >= repeatsMin) folds.push({ kind: 'repeats', records: run });
    else folds.push(...run.map((record): Fold<Record> => ({ kind: 'record', records: [record] })));
  }
  return folds;
}

/** Splits records into runs of neighbours that may be folded together. */
function runsOf<Record extends Foldable>(records: readonly Record[]): [Record, ...Record[]][] {
  const runs: [Record, ...Record[]][] = [];
  let last: string | undefined;
  for (const record of records) {
    const key = keyOf(record);
    const run = runs.at(-1);
    if (run !== undefined && key === last) run.push(record);
    else runs.push([record]);
    last = key;
  }
  return runs;
}

function keyOf(record: Foldable): string {
  const day = new Date(record.created_at).toDateString();
  if (isPageView(record)) return `views ${day}`;
  const { actor_id: actor, operation, outcome, transform, destination, details } = record;
  return JSON.stringify([day, actor, operation, outcome, transform, destination, details?.['via']]);
}

/** Groups folds by day, newest first as they come. */
export function byDay<Record extends Foldable>(folds: readonly Fold<Record>[]): [string, Fold<Record>[]][] {
  const dayOf = ({ records: [{ created_at: at }] }: Fold<Record>) => new Date(at).toDateString();
  return [...Map.groupBy(folds, dayOf).values()].map((group) => [group[0]?.records[0].created_at ?? '', group]);
}
