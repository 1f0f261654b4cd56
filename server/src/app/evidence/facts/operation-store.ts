import { affectedMax } from '../../../core/evidence/fact.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { deadLetters } from '../../../platform/jobs/queue-status.ts';

/**
 * Counts jobs of the installation, not those of tenants, that failed, and jobs that have been due for so many minutes:
 * those of the installation, and of all tenants or of one.
 */
export async function countVaultJobs(
  tx: Transaction,
  { lateMinutes, onlyTenant }: { readonly lateMinutes: number; readonly onlyTenant: TenantId | undefined },
): Promise<{ readonly dead: number; readonly late: number }> {
  const [row] = await tx.query<{ dead: number; late: number }>({
    text: `select count(*) filter (where name = '${deadLetters}' and data ->> 'tenant_id' is null)::float8 as dead,
        count(*) filter (where name <> '${deadLetters}' and start_after < now() - make_interval(mins => $1))::float8 as late
      from pgboss.job_common where state < 'active' and not starts_with(name, '__pgboss__')
        and ($2::text is null or coalesce(data ->> 'tenant_id', $2) = $2)`,
    values: [lateMinutes, onlyTenant ?? null],
  });
  return row ?? { dead: 0, late: 0 };
}

/** Counts the jobs of the transaction's tenant that failed at every attempt. */
export async function countFailedJobs(tx: Transaction): Promise<number> {
  const [row] = await tx.query<{ total: number }>({
    text: 'select coalesce(sum(jobs), 0)::float8 as total from failed_jobs()',
  });
  return row?.total ?? 0;
}

interface FailingWebhooks {
  readonly total: number;
  readonly ids: readonly string[];
}

export async function findFailingWebhooks(tx: Transaction, tenantId: TenantId): Promise<FailingWebhooks> {
  const [row] = await tx.query<FailingWebhooks>({
    text: `select count(*)::float8 as total, coalesce((array_agg(w.id order by w.id))[1:${affectedMax}], '{}') as ids
      from webhooks w left join webhook_positions p on p.tenant_id = w.tenant_id and p.webhook_id = w.id
      where w.tenant_id = $1 and (w.disabled_reason in ('failing', 'gone')
        or (w.status = 'enabled' and p.failing_since < now() - interval '1 day'))`,
    values: [tenantId],
  });
  return row ?? { total: 0, ids: [] };
}
