import { DomainError } from '../../../core/errors/domain-error.ts';
import {
  type AuditDetails,
  type AuditEvent,
  noSingleEntity,
  type Operation,
  successEvent,
} from '../../../platform/audit/record/audit-event.ts';
import { toLineDetails } from '../../../platform/audit/record/change-details.ts';
import type { WithApproval } from '../../approvals/index.ts';
import type { RulePeriods } from '../sweep/retention-sql.ts';

/** The most rules of a tenant. Each sweep judges every set of containers by every rule. */
export const rulesMax = 50;
/** A rule removes nothing before it was visible for a day. */
export const graceHours = 24;

/** A rule that says how long the tokens of a container and type are kept. */
export interface RetentionRule extends RulePeriods {
  readonly id: string;
  readonly createdBy: string | null;
  readonly createdAt: Date;
  /** From when the rule removes tokens. Null until it is approved. */
  readonly effectiveAt: Date | null;
}

/** A rule with its last request for approval. */
export type ShownRule = WithApproval<RetentionRule>;

/** Tokens that the rules would remove if a rule were in force now. */
export interface DueTokens {
  readonly tokens: number;
  /** False if the number is an upper bound, because finding out what is still used would take too long. */
  readonly isExact: boolean;
  /** When the first of these tokens became due. Undefined if there are none. */
  readonly dueSince: Date | undefined;
}

/** What a rule would do, and how many more tokens a legal hold keeps from it. */
export interface RetentionPreview extends DueTokens {
  readonly held: number;
}

export function ruleEvent(
  id: string = noSingleEntity,
  operation: Operation = 'read',
  details?: AuditDetails,
): AuditEvent {
  return { ...successEvent('retention_rule', id, operation), ...(details === undefined ? {} : { details }) };
}

/** Returns the details of a record about a rule: what it says, as lines. */
export function ruleDetails(rule: RulePeriods): AuditDetails {
  const lines = describeRule(rule);
  return toLineDetails(lines);
}

/** Returns what a rule says, one line for each period. */
export function describeRule({ container, type, keepForDays, unusedForDays, neverLongerDays }: RulePeriods): string[] {
  const subject = `${type === null ? 'tokens' : `tokens of type ${type}`} in ${container ?? 'any container'}`;
  const line = (what: string, days: number | null) => (days === null ? [] : [`${subject}: ${what} ${days} days`]);
  return [
    ...line('keep for', keepForDays),
    ...line('keep until unused for', unusedForDays),
    ...line('never longer than', neverLongerDays),
  ];
}

export function noSuchRule(): DomainError {
  return new DomainError('not-found', 'There is no such retention rule.');
}
