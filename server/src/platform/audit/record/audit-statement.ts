import { keysOf } from '../../../core/objects/keys-of.ts';
import type { AuditRow } from './audit-event.ts';

/** The columns of a record with their types, shared by every statement that writes one. */
const columns = {
  entity_id: 'text',
  entity_type: 'text',
  operation: 'text',
  outcome: 'text',
  actor_id: 'uuid',
  actor_type: 'text',
  key_id: 'uuid',
  request_id: 'text',
  source_address: 'text',
  containers: 'text[]',
  destination: 'text',
  transform: 'text',
  details: 'text',
} as const;

const names = keysOf(columns);
const typed = Object.entries(columns).map(([name, type]) => `${name} ${type}`);

type KnownColumns = Partial<Record<(typeof names)[number], string>>;

/**
 * The columns that shared records have in their JSON. The statement provides the other two, which differ from row to
 * row.
 */
export type SharedAuditRow = Omit<AuditRow, 'entity_id' | 'containers'>;

/**
 * Writes records, many of which differ only in their entity. Parameter `$n` contains each distinct record once. `rows`
 * is a query that returns an id, its containers, and the number of its record, counted from 1. For a batch of a
 * thousand creates by one caller, only one record is sent instead of a thousand.
 */
export function insertSharedAuditRecords(parameter: number, rows: string): string {
  const shared = names.filter((name) => name !== 'entity_id' && name !== 'containers');
  const definitions = shared.map((name) => `${name} ${columns[name]}`);
  return `insert into audit_records (tenant_id, sealing_order, entity_id, containers, ${shared.join(', ')})
    select $1::uuid, (select audit_order(pg_current_xact_id())), about.id, about.containers, ${shared.map((name) => `record.${name}`).join(', ')}
    from (${rows}) as about join rows from (json_to_recordset($${parameter}::json) as (${definitions.join(', ')}))
      with ordinality as record(${shared.join(', ')}, number) on record.number = about.record`;
}

/** Writes the records given as a JSON array of `CommonRecord` in parameter `$2`, for the tenant in parameter `$1`. */
export function insertCommonAuditRecords(): string {
  const common = names.filter((name) => name !== 'entity_id');
  const definitions = common.map((name) => `${name} ${columns[name]}`);
  return `insert into audit_records (tenant_id, sealing_order, entity_id, ${common.join(', ')})
    select $1::uuid, (select audit_order(pg_current_xact_id())), about.entity_id, ${common.map((name) => `record.${name}`).join(', ')}
    from json_to_recordset($2::json) as record(entity_ids text[], ${definitions.join(', ')}), unnest(record.entity_ids) as about(entity_id)`;
}

/**
 * Writes the records given as a JSON array of `AuditRow` in parameter `$n`, for the tenant in parameter `$1`. `onlyFor`
 * joins them to the rows that the statement wrote, so that no record is written for a write that did not happen.
 * `known` contains SQL expressions for columns whose values are only known within the statement. They replace the
 * values from the JSON.
 */
export function insertAuditRecords(parameter: number, onlyFor = '', known: KnownColumns = {}): string {
  // The sealing order is the same for the whole statement. A subquery computes it once instead of for each record.
  return `insert into audit_records (tenant_id, sealing_order, ${names.join(', ')})
    select $1::uuid, (select audit_order(pg_current_xact_id())), ${names.map((name) => known[name] ?? `record.${name}`).join(', ')}
    from json_to_recordset($${parameter}::json) as record(${typed.join(', ')}) ${onlyFor}`;
}
