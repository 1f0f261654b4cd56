import { type AuditRecord, recordFields } from '../../../server/src/core/audit/record-text.ts';

/** A record as the API returns it: the time is text, details are an object, and empty fields are omitted. */
export interface ShownRecord
  extends Partial<
    Omit<{ readonly [Name in keyof AuditRecord]: NonNullable<AuditRecord[Name]> }, 'created_at' | 'details'>
  > {
  readonly created_at: string;
  readonly details?: object;
}

/** The API omits only the sealing order. */
const shownFields = recordFields.filter((name) => name !== 'sealing_order');

/**
 * Returns true if every field matches the record on the page. The proof of another record would prove nothing about it.
 */
export function isShownAs(record: AuditRecord, shown: ShownRecord): boolean {
  const stored = { ...record, details: parseDetails(record.details) };
  const seen = { ...shown, created_at: Date.parse(shown.created_at) };
  return shownFields.every((name) => JSON.stringify(stored[name] ?? null) === JSON.stringify(seen[name] ?? null));
}

/** Parses the JSON text of details. Invalid JSON is returned as text, which never equals the details on the page. */
function parseDetails(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
