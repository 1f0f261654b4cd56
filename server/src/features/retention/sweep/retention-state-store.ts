import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { Parameters } from '../../../platform/database/statement-parameters.ts';
import { isHeld, isHoldInForce } from '../../tokens/index.ts';
import { before, isPastAge, judgedShelves } from './retention-sql.ts';

/** The time that sweeps have to remove what is due. They run twice an hour. */
const allowance = `interval '2 hours'`;

/** What an assessor asks about the rules of a tenant. */
export interface RetentionState {
  readonly rules: number;
  readonly holds: number;
  readonly heldTokens: number;
  /** Tokens that should have been removed at least two hours ago and are under no hold. */
  readonly overdue: number;
  /**
   * The time since all rules were last applied, in hours. 0 if there are none. Rules about use are applied once a day, so
   * they may be a day older.
   */
  readonly lagHours: number;
}

export async function readRetentionState(tx: Transaction, tenantId: TenantId): Promise<RetentionState> {
  const parameters = new Parameters(tenantId);
  const [row] = await tx.query<RetentionState>({
    text: `with ${judgedShelves(parameters, { effectiveFor: allowance })}
      select
        (select count(*)::float8 from retention_rules where tenant_id = $1 and effective_at <= now()) as rules,
        (select count(*)::float8 from legal_holds h where tenant_id = $1 and ${isHoldInForce}) as holds,
        case when exists (select from legal_holds h where tenant_id = $1 and ${isHoldInForce}) then
          (select count(*)::float8 from tokens t where t.tenant_id = $1 and ${isHeld('t')}) else 0 end as "heldTokens",
        (select count(*)::float8 from judged j cross join lateral (
          select from tokens t where ${isPastAge} and t.created_at <= -${allowance}
            + case when t.expires_at is null then ${before('least(j.keep_for, j.never_longer)')} else ${before('j.never_longer')} end
        ) as due) as overdue,
        greatest(0, (select extract(epoch from now() - greatest(min(r.effective_at), max(s.swept_at))) / 3600
          from retention_rules r left join retention_sweeps s on s.tenant_id = r.tenant_id
          where r.tenant_id = $1 and r.effective_at <= now()),
          (select extract(epoch from now() - greatest(min(r.effective_at), max(s.use_swept_at))) / 3600 - 24
          from retention_rules r left join retention_sweeps s on s.tenant_id = r.tenant_id
          where r.tenant_id = $1 and r.effective_at <= now() and r.unused_for_days is not null))::float8 as "lagHours"`,
    values: parameters.values,
  });
  return row ?? { rules: 0, holds: 0, heldTokens: 0, overdue: 0, lagHours: 0 };
}
