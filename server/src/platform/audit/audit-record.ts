import { hashLeaf } from './merkle-tree.ts';

/** A record as it is stored, in the names of its columns; times in milliseconds, the order as text since it passes 2⁵³. */
export interface AuditRecord {
  readonly tenant_id: string;
  readonly id: string;
  readonly created_at: number;
  readonly sealing_order: string;
  readonly entity_type: string;
  readonly entity_id: string;
  readonly operation: string;
  readonly outcome: string;
  readonly actor_id: string | null;
  readonly actor_type: string | null;
  readonly key_id: string | null;
  readonly request_id: string | null;
  readonly source_address: string | null;
  readonly containers: readonly string[] | null;
  readonly destination: string | null;
  readonly transform: string | null;
  readonly details: string | null;
}

/** Every column of a record, in the order in which they are hashed. */
const firstFields = [
  'tenant_id',
  'id',
  'created_at',
  'sealing_order',
  'entity_type',
  'entity_id',
  'operation',
  'outcome',
  'actor_id',
  'actor_type',
  'key_id',
  'request_id',
  'source_address',
  'containers',
  'destination',
] as const satisfies readonly (keyof AuditRecord)[];
const laterFields = ['transform', 'details'] as const satisfies readonly (keyof AuditRecord)[];

/** A record without later fields is hashed as it was before there were any, so what was sealed then still verifies. */
const formats = [
  { name: 'strongroom/audit-record/1', fields: firstFields },
  { name: 'strongroom/audit-record/2', fields: [...firstFields, ...laterFields] },
] as const;
const [firstFormat, secondFormat] = formats;

const inSql: Partial<Record<keyof AuditRecord, string>> = {
  created_at: '(extract(epoch from r.created_at) * 1000)::bigint',
  sealing_order: 'r.sealing_order::text',
};

/** A record as one JSON array in PostgreSQL's own spelling, which has a space behind each comma between the fields. */
const textSqlIn = ({ name, fields }: (typeof formats)[number]) =>
  `json_build_array('${name}', ${fields.map((field) => inSql[field] ?? `r.${field}`).join(', ')})::text`;
export const recordTextSql = `case when coalesce(${laterFields.map((field) => `r.${field}`).join(', ')}) is null
  then ${textSqlIn(firstFormat)} else ${textSqlIn(secondFormat)} end`;

/** The hash of a record's leaf, made by PostgreSQL: the sealer only carries 32 bytes a record. */
export const leafHashSql = `sha256('\\x00'::bytea || convert_to(${recordTextSql}, 'UTF8'))`;

/** The same text, made here from the fields. */
export function toRecordText(record: AuditRecord): string {
  const { name, fields } = laterFields.every((field) => (record[field] ?? null) === null) ? firstFormat : secondFormat;
  return `[${[name, ...fields.map((field) => record[field])].map((value) => JSON.stringify(value)).join(', ')}]`;
}

export function hashRecord(record: AuditRecord): Buffer {
  return hashLeaf(Buffer.from(toRecordText(record), 'utf8'));
}

/** Reads the text of a record back; undefined for anything else. */
export function parseRecordText(text: string): AuditRecord | undefined {
  const values = JSON.parse(text) as unknown;
  if (!Array.isArray(values)) return undefined;
  const format = formats.find(({ name, fields }) => values[0] === name && values.length === fields.length + 1);
  if (format === undefined) return undefined;
  const absent = laterFields.map((field) => [field, null]);
  const present = format.fields.map((field, index) => [field, values[index + 1]]);
  return Object.fromEntries([...absent, ...present]) as AuditRecord;
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
