import { affectedMax } from '../../../core/evidence/fact.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../../platform/database/database.ts';

interface MemberCounts {
  readonly total: number;
  readonly withoutTotal: number;
  readonly without: readonly string[];
  readonly idleTotal: number;
  readonly idle: readonly string[];
}

/** Counts members, and names those without a sign-in method and those who have not signed in for so many days. */
export async function findMembers(tx: Transaction, tenantId: TenantId, idleDays: number): Promise<MemberCounts> {
  const [row] = await tx.query<MemberCounts>({
    text: `with known as (
        select m.id, cardinality(coalesce(sign_in_ways(m.user_id), '{}')) = 0 as is_without,
          coalesce(u.last_signed_in_at, m.created_at) < now() - make_interval(days => $2) as is_idle
        from members m join users u on u.id = m.user_id where m.tenant_id = $1)
      select count(*)::float8 as total,
        count(*) filter (where is_without)::float8 as "withoutTotal",
        coalesce((array_agg(id order by id) filter (where is_without))[1:${affectedMax}], '{}') as without,
        count(*) filter (where is_idle)::float8 as "idleTotal",
        coalesce((array_agg(id order by id) filter (where is_idle))[1:${affectedMax}], '{}') as idle
      from known`,
    values: [tenantId, idleDays],
  });
  return row ?? { total: 0, withoutTotal: 0, without: [], idleTotal: 0, idle: [] };
}

interface CredentialCounts {
  readonly total: number;
  readonly idleTotal: number;
  readonly idle: readonly string[];
  readonly oldTotal: number;
  readonly old: readonly string[];
  readonly oldestDays: number;
}

/** Counts the keys of applications that have not expired. */
export async function findCredentials(
  tx: Transaction,
  tenantId: TenantId,
  { idleDays, keyDays }: { readonly idleDays: number; readonly keyDays: number },
): Promise<CredentialCounts> {
  const [row] = await tx.query<CredentialCounts>({
    text: `with known as (
        select k.id, k.created_at, coalesce(k.last_used_at, k.created_at) < now() - make_interval(days => $2) as is_idle,
          k.created_at < now() - make_interval(days => $3) as is_old
        from application_keys k join applications a on a.tenant_id = k.tenant_id and a.id = k.application_id
        where k.tenant_id = $1 and (a.expires_at is null or a.expires_at > now()))
      select count(*)::float8 as total,
        count(*) filter (where is_idle)::float8 as "idleTotal",
        coalesce((array_agg(id order by id) filter (where is_idle))[1:${affectedMax}], '{}') as idle,
        count(*) filter (where is_old)::float8 as "oldTotal",
        coalesce((array_agg(id order by id) filter (where is_old))[1:${affectedMax}], '{}') as old,
        coalesce(floor(extract(epoch from now() - min(created_at)) / 86400), 0)::float8 as "oldestDays"
      from known`,
    values: [tenantId, idleDays, keyDays],
  });
  return row ?? { total: 0, idleTotal: 0, idle: [], oldTotal: 0, old: [], oldestDays: 0 };
}
