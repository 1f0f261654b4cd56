import { type AuditRecord, laterFields, recordFormats, toRecordText } from '../../../core/audit/record-text.ts';
import { hashLeaf } from './merkle-tree.ts';

const [firstFormat, secondFormat] = recordFormats;

const inSql: Partial<Record<keyof AuditRecord, string>> = {
  created_at: '(extract(epoch from r.created_at) * 1000)::bigint',
  sealing_order: 'r.sealing_order::text',
};

/**
 * Returns SQL for a record as one JSON array in PostgreSQL's own format, which has a space after each comma between the
 * fields.
 */
const textSqlIn = ({ name, fields }: (typeof recordFormats)[number]) =>
  `json_build_array('${name}', ${fields.map((field) => inSql[field] ?? `r.${field}`).join(', ')})::text`;
export const recordTextSql = `case when coalesce(${laterFields.map((field) => `r.${field}`).join(', ')}) is null
  then ${textSqlIn(firstFormat)} else ${textSqlIn(secondFormat)} end`;

/** SQL for the hash of a record's leaf. PostgreSQL computes it, so the sealer transfers only 32 bytes per record. */
export const leafHashSql = `sha256('\\x00'::bytea || convert_to(${recordTextSql}, 'UTF8'))`;

export function hashRecord(record: AuditRecord): Buffer {
  return hashLeaf(Buffer.from(toRecordText(record), 'utf8'));
}

/** Parses the text of a record. Returns undefined for any other JSON. */
export function parseRecordText(text: string): AuditRecord | undefined {
  const values: unknown = JSON.parse(text);
  if (!Array.isArray(values)) return undefined;
  const format = recordFormats.find(({ name, fields }) => values[0] === name && values.length === fields.length + 1);
  if (format === undefined) return undefined;
  const absent = laterFields.map((field) => [field, null]);
  const present = format.fields.map((field, index) => [field, values[index + 1]]);
  return asRecord(Object.fromEntries([...absent, ...present]));
}

/**
 * Accepts a record from outside. Its content is not checked here, because verification computes the leaf from it and
 * requires that leaf to be in the tree.
 */
export function asRecord(members: object): AuditRecord {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the content is checked through its leaf.
  return members as AuditRecord;
}

/** Compares records in the order of their leaves: by transaction, then by id. */
export function compareRecords(a: OrderedRecord, b: OrderedRecord): number {
  return (
    compareOrders(a.sealing_order, b.sealing_order) || compareText(a.id, b.id) || compareText(a.entity_id, b.entity_id)
  );
}

/** A sealing order that sorts before all others. */
export const firstOrder = '-9223372036854775808';

/**
 * Compares two integers written in decimal digits. Nearly all of them are positive, and positive integers can be
 * compared without arithmetic.
 */
export function compareOrders(a: string, b: string): number {
  if (a === b) return 0;
  if (a.startsWith('-') || b.startsWith('-')) return BigInt(a) < BigInt(b) ? -1 : 1;
  return a.length - b.length || compareText(a, b);
}

type OrderedRecord = Pick<AuditRecord, 'sealing_order' | 'id' | 'entity_id'>;

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Returns the first day of the month of a time, in UTC, such as `2026-11-01`. */
export function monthOf(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 7)}-01`;
}
