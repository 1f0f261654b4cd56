/** A stored record, with its column names. Times are in milliseconds. The order is text because it exceeds 2⁵³. */
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

/** The columns of the first format, in the order in which they are hashed. */
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
export const laterFields = ['transform', 'details'] as const satisfies readonly (keyof AuditRecord)[];
export const recordFields = [...firstFields, ...laterFields] as const;

/**
 * The hash formats. A record without later fields is hashed in the first format, so records sealed before those fields
 * existed still verify.
 */
export const recordFormats = [
  { name: 'strongroom/audit-record/1', fields: firstFields },
  { name: 'strongroom/audit-record/2', fields: recordFields },
] as const;
const [firstFormat, secondFormat] = recordFormats;

/**
 * Returns the text that is hashed: one JSON array in PostgreSQL's spelling, with a space after each comma between
 * fields.
 */
export function toRecordText(record: AuditRecord): string {
  const { name, fields } = laterFields.every((field) => (record[field] ?? null) === null) ? firstFormat : secondFormat;
  return `[${[name, ...fields.map((field) => record[field])].map((value) => JSON.stringify(value)).join(', ')}]`;
}
