/** A placeholder for values that a response does not reveal. */
export const anything = Symbol('anything');
type Told<T> = T | typeof anything;

/** A record that the log must contain, as far as it can be inferred from the request and its response. */
export interface ExpectedRecord {
  readonly entityType: string;
  readonly entityId: Told<string>;
  readonly operation: Told<string>;
  readonly outcome: string;
  /** The possible transforms. There are several if their views look the same. */
  readonly transforms: readonly (string | null)[];
  readonly details: Told<object | null> | 'change';
  readonly destination: Told<string | null>;
}

export type StoredRecord = Readonly<Record<string, unknown>>;

export function record(
  entityType: string,
  operation: Told<string>,
  entityId: Told<string>,
  more: Partial<ExpectedRecord> = {},
): ExpectedRecord {
  return {
    entityType,
    entityId,
    operation,
    outcome: 'success',
    transforms: [null],
    details: null,
    destination: null,
    ...more,
  };
}

/** Matches each record with at most one expected record, and returns the unmatched ones of both sides. */
export function compareRecords(
  expected: readonly ExpectedRecord[],
  stored: readonly StoredRecord[],
): { readonly missing: readonly ExpectedRecord[]; readonly surplus: readonly StoredRecord[] } {
  const surplus = [...stored];
  const missing = expected.filter((one) => {
    const index = surplus.findIndex((candidate) => isMatch(one, candidate));
    if (index >= 0) surplus.splice(index, 1);
    return index < 0;
  });
  return { missing, surplus };
}

function isMatch(expected: ExpectedRecord, stored: StoredRecord): boolean {
  return (
    expected.entityType === stored['entity_type'] &&
    (expected.entityId === anything || expected.entityId === stored['entity_id']) &&
    (expected.operation === anything || expected.operation === stored['operation']) &&
    expected.outcome === stored['outcome'] &&
    expected.transforms.includes(stored['transform'] as string | null) &&
    (expected.destination === anything || expected.destination === stored['destination']) &&
    hasDetails(expected.details, stored['details'] as string | null)
  );
}

function hasDetails(expected: ExpectedRecord['details'], text: string | null): boolean {
  if (expected === anything) return true;
  if (expected === 'change') return /^[\w-]{43}$/.test((JSON.parse(text ?? '{}') as { digest?: string }).digest ?? '');
  return JSON.stringify(expected) === text || (expected === null && text === null);
}
