import { type AuditRecord, recordFields } from '../../../server/src/core/audit/record-text.ts';

/** A record as the API shows it: a time as text, details as an object, and what a record does not have left out. */
export interface ShownRecord
  extends Partial<
    Omit<{ readonly [Name in keyof AuditRecord]: NonNullable<AuditRecord[Name]> }, 'created_at' | 'details'>
  > {
  readonly created_at: string;
  readonly details?: object;
}

/** Its place in the order of sealing is the one thing that is not shown. */
const shownFields = recordFields.filter((name) => name !== 'sealing_order');

/** Whether the reader sees this record, in every field: a proof of another one says nothing about what is on the page. */
export function isShownAs(record: AuditRecord, shown: ShownRecord): boolean {
  const stored = { ...record, details: parseDetails(record.details) };
  const seen = { ...shown, created_at: Date.parse(shown.created_at) };
  return shownFields.every((name) => JSON.stringify(stored[name] ?? null) === JSON.stringify(seen[name] ?? null));
}

/** Records hold details as JSON text. Text that is no JSON stays what it is, which no shown details are. */
function parseDetails(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
