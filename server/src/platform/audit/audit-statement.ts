/** The columns of a record, with their types, in one place for every statement that writes one. */
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
} as const;

const names = Object.keys(columns);
const typed = Object.entries(columns).map(([name, type]) => `${name} ${type}`);

/**
 * Writes the records given as a JSON array of `AuditRow` in parameter `$n`, for the tenant in parameter `$1`.
 * `onlyFor` joins them to what the statement really did: a write that did not happen leaves no record.
 */
export function insertAuditRecords(parameter: number, onlyFor = ''): string {
  return `insert into audit_records (tenant_id, ${names.join(', ')})
    select $1::uuid, ${names.map((name) => `record.${name}`).join(', ')}
    from json_to_recordset($${parameter}::json) as record(${typed.join(', ')}) ${onlyFor}`;
}
