import type { Parameters } from '../../../platform/database/statement-parameters.ts';
import { isHeld, isHoldInForce } from '../../tokens/index.ts';

/** The periods of a rule, in days. Null for a period that the rule does not limit. */
export interface RulePeriods {
  readonly container: string | null;
  readonly type: string | null;
  readonly keepForDays: number | null;
  readonly unusedForDays: number | null;
  readonly neverLongerDays: number | null;
}

/** The rules that tokens are judged by. */
interface JudgedBy {
  readonly candidate?: RulePeriods | undefined;
  readonly without?: string;
  readonly effectiveFor?: string;
  readonly withPending?: boolean;
}

const ruleColumns = 'container, type, keep_for_days, unused_for_days, never_longer_days';
/** Returns the condition for a rule that covers the shelf `s`. */
function covers(rule: string): string {
  return `(${rule}.type is null or ${rule}.type = s.type) and (${rule}.container is null or exists (
    select from unnest(s.containers) as inside(path) where starts_with(inside.path, ${rule}.container)))`;
}

/**
 * Returns a lateral query for the period of the most specific rule: the one for the innermost container, then one for a
 * type. If a shelf is in containers of which none contains the other, the longest of their periods decides. Of rules for
 * the same container and type, the shortest does.
 */
function mostSpecific(column: string): string {
  return `(select max(m.days) as days from (
      select r.container, r.type, min(r.${column}) as days from rules r where r.${column} is not null and ${covers('r')}
      group by r.container, r.type) as m
    where not exists (select from rules n where n.${column} is not null and ${covers('n')} and (
      (n.container is distinct from m.container and (m.container is null or starts_with(n.container, m.container)))
      or (n.container is not distinct from m.container and m.type is null and n.type is not null))))`;
}

/**
 * Returns the queries that judge each set of tokens with the same type and containers, as `judged`. Parameter 1 is the
 * tenant. With a candidate, the rules are judged as if it were in force, and with `without`, as if that rule did not
 * exist. With `effectiveFor`, only rules count that have been in force for that long, and with `withPending`, also those
 * that are not in force yet.
 */
export function judgedShelves(
  parameters: Parameters,
  { candidate, without, effectiveFor = `interval '0'`, withPending = false }: JudgedBy = {},
): string {
  const wanted =
    candidate === undefined
      ? ''
      : `union all select ${parameters.add(candidate.container)}::text, ${parameters.add(candidate.type)}::text,
          ${parameters.add(candidate.keepForDays)}::integer, ${parameters.add(candidate.unusedForDays)}::integer,
          ${parameters.add(candidate.neverLongerDays)}::integer`;
  const inForce = withPending ? '' : `and effective_at <= now() - ${effectiveFor}`;
  const others = without === undefined ? '' : `and id <> ${parameters.add(without)}::uuid`;
  return `rules as materialized (
      select ${ruleColumns} from retention_rules where tenant_id = $1 ${inForce} ${others} ${wanted}
    ), shelves as materialized (
      select shelf, type, containers from token_counts where tenant_id = $1 group by 1, 2, 3 having sum(tokens) > 0
    ), judged as materialized (
      select s.shelf, kept.days as keep_for, unused.days as unused_for,
        (select min(r.never_longer_days) from rules r where ${covers('r')}) as never_longer
      from shelves s left join lateral ${mostSpecific('keep_for_days')} as kept on true
        left join lateral ${mostSpecific('unused_for_days')} as unused on true
    )`;
}

/** Returns the time before which tokens were created that are older than a number of days. */
export function before(days: string): string {
  return `(now() - make_interval(days => ${days}))`;
}

const isOld = `t.tenant_id = $1 and t.shelf = j.shelf and t.created_at <= ${before('least(j.keep_for, j.never_longer)')}
  and (t.created_at <= ${before('j.never_longer')} or (t.expires_at is null and t.created_at <= ${before('j.keep_for')}))`;
const isUnchanged = `t.tenant_id = $1 and t.shelf = j.shelf and t.created_at <= ${before('j.unused_for')}
  and (t.modified_at is null or t.modified_at <= ${before('j.unused_for')})`;
/** The first part is asked once a statement, so that no token is read in a tenant without a hold. */
const isHeldByAny = `exists (select from legal_holds h where h.tenant_id = $1 and ${isHoldInForce}) and ${isHeld('t')}`;

/**
 * Returns the condition for a token `t` of a judged shelf `j` that is past its age. A token with an expiry of its own is
 * kept until then, but never longer than the rules allow.
 */
export const isPastAge = `${isOld} and not ${isHeld('t')}`;
/** The same for a token that a legal hold keeps. */
export const isPastAgeButHeld = `${isOld} and ${isHeldByAny}`;

/**
 * Returns the condition for a token `t` of a judged shelf `j` that is old enough to ask whether it is still used. It is
 * tested again when the token is locked, so a token that was changed in the meantime is kept.
 */
export const mayBeUnused = `${isUnchanged} and not ${isHeld('t')}`;
/** The same for a token that a legal hold keeps. */
export const mayBeUnusedButHeld = `${isUnchanged} and ${isHeldByAny}`;

/** Returns the condition for a record of the log that shows that a token was used since it was due. */
export const showsUse = `r.tenant_id = $1 and r.entity_id = t.id and r.created_at > ${before('j.unused_for')}
  and r.outcome not in ('denied', 'missed')`;
