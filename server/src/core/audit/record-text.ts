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
export const laterFields = ['transform', 'details'] as const satisfies readonly (keyof AuditRecord)[];
export const recordFields = [...firstFields, ...laterFields] as const;

/** A record without later fields is hashed as it was before there were any, so what was sealed then still verifies. */
export const recordFormats = [
  { name: 'strongroom/audit-record/1', fields: firstFields },
  { name: 'strongroom/audit-record/2', fields: recordFields },
] as const;
const [firstFormat, secondFormat] = recordFormats;

/** What is hashed of a record: one JSON array, spelled as PostgreSQL does, with a space behind each comma between fields. */
export function toRecordText(record: AuditRecord): string {
  const { name, fields } = laterFields.every((field) => (record[field] ?? null) === null) ? firstFormat : secondFormat;
  return `[${[name, ...fields.map((field) => record[field])].map((value) => JSON.stringify(value)).join(', ')}]`;
}
