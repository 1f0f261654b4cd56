import { type AuditRecord, laterFields, recordFormats, toRecordText } from '../../../core/audit/record-text.ts';
import { hashLeaf } from './merkle-tree.ts';

const [firstFormat, secondFormat] = recordFormats;

const inSql: Partial<Record<keyof AuditRecord, string>> = {
  created_at: '(extract(epoch from r.created_at) * 1000)::bigint',
  sealing_order: 'r.sealing_order::text',
};

/** A record as one JSON array in PostgreSQL's own spelling, which has a space behind each comma between the fields. */
const textSqlIn = ({ name, fields }: (typeof recordFormats)[number]) =>
  `json_build_array('${name}', ${fields.map((field) => inSql[field] ?? `r.${field}`).join(', ')})::text`;
export const recordTextSql = `case when coalesce(${laterFields.map((field) => `r.${field}`).join(', ')}) is null
  then ${textSqlIn(firstFormat)} else ${textSqlIn(secondFormat)} end`;

/** The hash of a record's leaf, made by PostgreSQL: the sealer only carries 32 bytes a record. */
export const leafHashSql = `sha256('\\x00'::bytea || convert_to(${recordTextSql}, 'UTF8'))`;

export function hashRecord(record: AuditRecord): Buffer {
  return hashLeaf(Buffer.from(toRecordText(record), 'utf8'));
}

/** Reads the text of a record back; undefined for anything else. */
export function parseRecordText(text: string): AuditRecord | undefined {
  const values: unknown = JSON.parse(text);
  if (!Array.isArray(values)) return undefined;
  const format = recordFormats.find(({ name, fields }) => values[0] === name && values.length === fields.length + 1);
  if (format === undefined) return undefined;
  const absent = laterFields.map((field) => [field, null]);
  const present = format.fields.map((field, index) => [field, values[index + 1]]);
  return asRecord(Object.fromEntries([...absent, ...present]));
}

/** A record from outside. What is in it is not judged here: its leaf is made of it and has to be in the tree. */
export function asRecord(members: object): AuditRecord {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above.
  return members as AuditRecord;
}

/** The order of leaves: by transaction, and within one by id. */
export function compareRecords(a: OrderedRecord, b: OrderedRecord): number {
  return (
    compareOrders(a.sealing_order, b.sealing_order) || compareText(a.id, b.id) || compareText(a.entity_id, b.entity_id)
  );
}

/** Before every order there is. */
export const firstOrder = '-9223372036854775808';

/** Of two whole numbers written in digits; nearly all are positive, and those need no arithmetic. */
export function compareOrders(a: string, b: string): number {
  if (a === b) return 0;
  if (a.startsWith('-') || b.startsWith('-')) return BigInt(a) < BigInt(b) ? -1 : 1;
  return a.length - b.length || compareText(a, b);
}

type OrderedRecord = Pick<AuditRecord, 'sealing_order' | 'id' | 'entity_id'>;

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** First day of the month of a time, in UTC: `2026-11-01`. */
export function monthOf(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 7)}-01`;
}
