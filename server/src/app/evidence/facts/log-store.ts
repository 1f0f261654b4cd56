import type { TenantId } from '../../../core/identity/ids.ts';
import type { RecordKey } from '../../../platform/audit/verify/log-reader.ts';
import type { Transaction } from '../../../platform/database/database.ts';

interface LogCounts {
  readonly records: number;
  readonly denied: number;
  readonly changes: number;
  readonly alerts: number;
  readonly unacknowledged: number;
}

interface Period {
  readonly from: Date;
  readonly to: Date;
}

const ofChange = (entityType: string, operation: string) =>
  `${entityType} in ('application', 'key', 'member', 'invitation', 'proxy', 'tenant')
    and ${operation} in ('create', 'update', 'configure', 'delete', 'restore', 'issue_key', 'issue_link', 'resend', 'approve',
      'accept')`;

/** Reads the counters of a log. Only alerts and acknowledgements are looked up among records, along their indexes. */
export async function countLog(tx: Transaction, tenantId: TenantId, { from, to }: Period): Promise<LogCounts> {
  const [row] = await tx.query<LogCounts>({
    text: `with counted as (
        select field, value, entity_type, bucket, records from audit_facets
        where tenant_id = $1 and grain = 'hour' and field in ('outcome', 'operation')
          and bucket >= date_trunc('hour', $2::timestamptz, 'UTC') and bucket < $3
      ), raised as (
        select r.id, r.entity_id, r.created_at from counted hour join audit_records r on r.tenant_id = $1
          and r.entity_type = hour.entity_type and r.created_at >= hour.bucket
          and r.created_at < hour.bucket + interval '1 hour' and r.operation = 'alert'
        where hour.field = 'operation' and hour.value = 'alert'
      )
      select (select coalesce(sum(records), 0)::float8 from counted where field = 'outcome') as records,
        (select coalesce(sum(records), 0)::float8 from counted where field = 'outcome' and value = 'denied') as denied,
        (select coalesce(sum(records), 0)::float8 from counted where field = 'operation'
          and ${ofChange('entity_type', 'value')}) as changes,
        (select count(*)::float8 from raised) as alerts,
        (select count(*)::float8 from raised where created_at < now() - interval '7 days' and not exists (
          select from audit_records seen where seen.tenant_id = $1 and seen.entity_id = raised.entity_id
            and seen.operation = 'acknowledge' and seen.created_at >= raised.created_at
            and seen.details::json ->> 'within' = raised.id::text)) as unacknowledged`,
    values: [tenantId, from, to],
  });
  return row ?? { records: 0, denied: 0, changes: 0, alerts: 0, unacknowledged: 0 };
}

/** Returns the number of the last checkpoint that was sealed before a time, or 0. */
export async function findVerificationStart(tx: Transaction, tenantId: string, from: Date): Promise<number> {
  const [row] = await tx.query<{ number: number }>({
    text: `select coalesce(max(number), 0)::float8 as number from audit_checkpoints where tenant_id = $1 and sealed_at < $2`,
    values: [tenantId, from],
  });
  return row?.number ?? 0;
}

/**
 * Lists the newest sealed changes of rights in the period. The counters say in which hours there are any, so only those
 * hours are looked through.
 */
export function listChanges(
  tx: Transaction,
  tenantId: string,
  { from, to, orderTo, limit }: Period & { readonly orderTo: string; readonly limit: number },
): Promise<RecordKey[]> {
  return tx.query<RecordKey>({
    text: `with hours as (
        select distinct bucket from audit_facets where tenant_id = $1 and grain = 'hour' and field = 'operation'
          and ${ofChange('entity_type', 'value')}
          and bucket >= date_trunc('hour', $2::timestamptz, 'UTC') and bucket < $3 order by bucket desc limit $5
      )
      select r.entity_type as "entityType", r.entity_id as "entityId", r.created_at as "createdAt", r.id
      from hours join audit_records r on r.tenant_id = $1 and r.created_at >= hours.bucket
        and r.created_at < hours.bucket + interval '1 hour'
      where r.created_at >= $2 and r.created_at < $3 and ${ofChange('r.entity_type', 'r.operation')}
        and r.outcome = 'success' and r.sealing_order < $4::bigint
      order by r.created_at desc, r.id limit $5`,
    values: [tenantId, from, to, orderTo, limit],
  });
}

/** Counts the tenants whose log has checkpoints that are more than an hour old and newer than the anchored ones. */
export async function countUnanchored(
  tx: Transaction,
  anchored: readonly { readonly tenantId: TenantId; readonly number: number }[],
): Promise<number> {
  const [row] = await tx.query<{ total: number }>({
    text: `select count(*)::float8 as total from unnest($1::uuid[], $2::bigint[]) as anchored(tenant_id, number)
      where exists (select from audit_checkpoints c where c.tenant_id = anchored.tenant_id and c.number > anchored.number
        and c.sealed_at < now() - interval '1 hour')`,
    values: [anchored.map(({ tenantId }) => tenantId), anchored.map(({ number }) => number)],
  });
  return row?.total ?? 0;
}
