import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { Parameters } from '../../../platform/database/statement-parameters.ts';
import {
  isPastAge,
  isPastAgeButHeld,
  judgedShelves,
  mayBeUnused,
  mayBeUnusedButHeld,
  type RulePeriods,
  showsUse,
} from '../sweep/retention-sql.ts';
import { graceHours, type DueTokens, type RetentionRule } from './retention-rule.ts';

const columns = `id, container, type, keep_for_days as "keepForDays", unused_for_days as "unusedForDays",
  never_longer_days as "neverLongerDays", created_by as "createdBy", created_at as "createdAt", effective_at as "effectiveAt"`;

/** The most tokens that a preview counts. */
export const countedMax = 1_000_000;
/** The most tokens that a preview looks up in the log, to tell which are still used. */
const looksMax = 20_000;

/** The periods of a set of tokens with the same type and containers, in days. Null if no rule has such a period. */
interface JudgedPeriods {
  readonly keepFor: number | null;
  readonly unusedFor: number | null;
}

/** The retention rules of one tenant. */
export class RetentionRuleStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
  }

  /** Lists all rules, newest first. Their number is limited, so there are no pages. */
  list(): Promise<RetentionRule[]> {
    return this.#tx.query({
      text: `select ${columns} from retention_rules where tenant_id = $1 order by created_at desc, id desc`,
      values: [this.#tenantId],
    });
  }

  async find(id: string): Promise<RetentionRule | undefined> {
    const [row] = await this.#tx.query<RetentionRule>({
      text: `select ${columns} from retention_rules where tenant_id = $1 and id = $2`,
      values: [this.#tenantId, id],
    });
    return row;
  }

  async insert(id: string, rule: RulePeriods, of: { createdBy: string | null; isInForce: boolean }): Promise<void> {
    await this.#tx.query({
      text: `insert into retention_rules (tenant_id, id, container, type, keep_for_days, unused_for_days, never_longer_days,
          created_by, effective_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, case when $9 then now() + make_interval(hours => $10) end)`,
      values: [
        this.#tenantId,
        id,
        rule.container,
        rule.type,
        rule.keepForDays,
        rule.unusedForDays,
        rule.neverLongerDays,
        of.createdBy,
        of.isInForce,
        graceHours,
      ],
    });
  }

  /** Has an approved rule take effect after the grace period. Returns false if there is no such rule. */
  async putIntoForce(id: string): Promise<boolean> {
    const rows = await this.#tx.query({
      text: `update retention_rules set effective_at = now() + make_interval(hours => $3)
        where tenant_id = $1 and id = $2 and effective_at is null returning 1`,
      values: [this.#tenantId, id, graceHours],
    });
    return rows.length > 0;
  }

  async delete(id: string): Promise<boolean> {
    const rows = await this.#tx.query({
      text: 'delete from retention_rules where tenant_id = $1 and id = $2 returning 1',
      values: [this.#tenantId, id],
    });
    return rows.length > 0;
  }

  /**
   * Returns true if other rules would remove tokens sooner without this one, now or once all rules are in force. A rule
   * with a longer period for a container or type keeps tokens that a general rule would remove.
   */
  async shields(id: string): Promise<boolean> {
    for (const withPending of [false, true]) {
      const before = await this.#judge({ withPending });
      const after = await this.#judge({ withPending, without: id });
      if ([...after].some(([shelf, periods]) => isSooner(periods, before.get(shelf)))) return true;
    }
    return false;
  }

  async #judge(by: { readonly withPending: boolean; readonly without?: string }): Promise<Map<string, JudgedPeriods>> {
    const parameters = new Parameters(this.#tenantId);
    const rows = await this.#tx.query<JudgedPeriods & { shelf: string }>({
      text: `with ${judgedShelves(parameters, by)} select shelf, keep_for as "keepFor", unused_for as "unusedFor" from judged`,
      values: parameters.values,
    });
    return new Map(rows.map((row) => [row.shelf, row]));
  }

  /** Counts what the rules would remove if this one were in force, up to a limit. */
  async count(candidate: RulePeriods): Promise<DueTokens> {
    return this.#count(candidate, { old: isPastAge, unused: mayBeUnused });
  }

  /** Counts what they would remove if no legal hold kept it. */
  async countHeld(candidate: RulePeriods): Promise<DueTokens> {
    return this.#count(candidate, { old: isPastAgeButHeld, unused: mayBeUnusedButHeld });
  }

  async #count(candidate: RulePeriods, of: { readonly old: string; readonly unused: string }): Promise<DueTokens> {
    const byAge = await this.#countOld(candidate, of.old);
    if (candidate.unusedForDays === null) return { ...byAge, isExact: true };
    const unused = await this.#countUnused(candidate, of.unused);
    const since = [byAge.dueSince, unused.dueSince].filter((time) => time !== undefined);
    return {
      tokens: byAge.tokens + unused.tokens,
      isExact: unused.isExact,
      dueSince: since.toSorted((a, b) => a.getTime() - b.getTime())[0],
    };
  }

  async #countOld(candidate: RulePeriods, condition: string): Promise<{ tokens: number; dueSince: Date | undefined }> {
    const parameters = new Parameters(this.#tenantId);
    const judged = judgedShelves(parameters, { candidate });
    const [row] = await this.#tx.query<{ tokens: number; since: Date | null }>({
      text: `with ${judged}, due as (
          select t.created_at + make_interval(days => least(j.keep_for, j.never_longer)) as due_at
          from judged j cross join lateral (select t.created_at from tokens t where ${condition}) as t limit ${countedMax + 1})
        select count(*)::float8 as tokens, min(due_at) as since from due`,
      values: parameters.values,
    });
    return { tokens: row?.tokens ?? 0, dueSince: row?.since ?? undefined };
  }

  /**
   * Counts tokens that were not used for the period. If there are too many to look up, it counts all that are so old.
   */
  async #countUnused(candidate: RulePeriods, condition: string): Promise<DueTokens> {
    const parameters = new Parameters(this.#tenantId);
    const judged = judgedShelves(parameters, { candidate });
    const [row] = await this.#tx.query<{ looked: number; unused: number; since: Date | null }>({
      text: `with ${judged}, due as materialized (
          select t.id, t.created_at, j.unused_for from judged j
          cross join lateral (select t.id, t.created_at from tokens t where ${condition}) as t limit ${countedMax + 1}
        ), looked as (
          select t.created_at + make_interval(days => j.unused_for) as due_at
          from (select * from due where (select count(*) from due) <= ${looksMax}) as t
            cross join lateral (select t.unused_for) as j
          where not exists (select from audit_records r where ${showsUse})
        )
        select (select count(*)::float8 from due) as looked, (select count(*)::float8 from looked) as unused,
          coalesce((select min(due_at) from looked),
            (select min(created_at + make_interval(days => unused_for)) from due
              where (select count(*) from due) > ${looksMax})) as since`,
      values: parameters.values,
    });
    const { looked = 0, unused = 0, since = null } = row ?? {};
    const isExact = looked <= looksMax;
    return { tokens: isExact ? unused : looked, isExact, dueSince: since ?? undefined };
  }
}

function isSooner(after: JudgedPeriods, before: JudgedPeriods | undefined): boolean {
  const daysOf = (days: number | null | undefined) => days ?? Number.POSITIVE_INFINITY;
  return daysOf(after.keepFor) < daysOf(before?.keepFor) || daysOf(after.unusedFor) < daysOf(before?.unusedFor);
}
