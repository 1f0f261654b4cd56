import type { TestDatabase } from './test-database.ts';

const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** Values that occur in the records of `fillVariedLog`, by the filter that finds them. */
export const variedValues = {
  entity_type: ['token', 'card', 'proxy'],
  entity_id: ['entity-3', '*'],
  actor_id: [id(1), id(2), id(3)],
  actor_type: ['application', 'user'],
  operation: ['create', 'read', 'delete'],
  outcome: ['success', 'denied', 'missed'],
  transform: ['redact', 'mask', 'reveal'],
  key_id: [id(11), id(12)],
  request_id: ['request-5', 'request-17'],
  source_address: ['192.0.2.1', '2001:db8::1', "x' or true --"],
  destination: ['api.example.com', 'pay.example.com'],
} as const;

/**
 * Writes records with every combination of values, some of which are missing, over the last `days` days, with seven
 * records per transaction.
 */
export async function fillVariedLog(
  database: TestDatabase,
  { tenantId, count, days }: { tenantId: string; count: number; days: number },
): Promise<void> {
  const pick = (values: readonly string[], seed: number, type = 'text') =>
    `(array[${values.map((value) => `'${value.replaceAll("'", "''")}'`).join(', ')}]::${type}[])[1 + (hashint4(n + ${seed}) & 1023) % ${values.length}]`;
  const sometimes = (expression: string, seed: number) =>
    `case when hashint4(n * 7 + ${seed}) % 3 <> 0 then ${expression} end`;
  // Early in a month, the last days belong to the previous month.
  await database.owner.query(
    `do $$ declare month timestamp := date_trunc('month', now() at time zone 'UTC' - make_interval(secs => ${days} * 86400)); begin
      execute format('create table if not exists audit_records_%s partition of audit_records for values from (%L) to (%L)',
        to_char(month, 'YYYY_MM'), month at time zone 'UTC', (month + interval '1 month') at time zone 'UTC');
    end $$`,
  );
  await database.owner.query(
    `do $$ begin
      for start_at in 1 .. ${count} by 7 loop
        insert into audit_records (tenant_id, created_at, entity_type, entity_id, operation, outcome, transform, actor_id,
          actor_type, key_id, request_id, source_address, destination, containers, details)
        select '${tenantId}', now() - make_interval(secs => ${days} * 86400 * (1 - n / ${count}.0)),
          ${pick(variedValues.entity_type, 1)}, case when n % 4 = 0 then '*' else 'entity-' || n % 9 end,
          ${pick(variedValues.operation, 2)}, ${pick(variedValues.outcome, 3)},
          ${sometimes(pick(variedValues.transform, 4), 4)}, ${sometimes(pick(variedValues.actor_id, 5, 'uuid'), 5)},
          ${pick(variedValues.actor_type, 6)}, ${sometimes(pick(variedValues.key_id, 7, 'uuid'), 7)},
          'request-' || n % 40, ${pick(variedValues.source_address, 8)},
          ${sometimes(pick(variedValues.destination, 9), 9)}, array['/a/', '/b/' || n % 3 || '/'],
          case when n % 5 = 0 then '{"fields":["data"],"missing":' || n || '}' end
        from generate_series(start_at, least(start_at + 6, ${count})) n;
        commit;
      end loop;
    end $$`,
  );
}
