import { type Static, Type } from 'typebox';
import { parseContainer } from '../../../core/access/container.ts';
import { DomainError, type FieldErrors } from '../../../core/errors/domain-error.ts';
import { tokenLimits } from '../../../core/token-limits.ts';
import { findTokenType, tokenTypeNames } from '../../../core/token-types/token-type-catalog.ts';
import { orNull } from '../../../http/parameters/optional-schemas.ts';
import { timestamp, toTimestamp } from '../../../http/parameters/timestamp.ts';
import { nameSchemas } from '../../../http/routes/api-components.ts';
import { ApprovalView, toApprovalField } from '../../approvals/index.ts';
import type { RulePeriods } from '../sweep/retention-sql.ts';
import type { RetentionPreview, ShownRule } from './retention-rule.ts';

/** A hundred years. */
const daysMax = 36_500;
const days = (description: string) => orNull(Type.Integer({ minimum: 1, maximum: daysMax, description }));

/** The members that choose tokens by container and type. */
export const scopeMembers = {
  container: orNull(
    Type.String({
      maxLength: tokenLimits.containerLengthMax,
      description: 'Only tokens in this container and everything in it. Every container by default.',
    }),
  ),
  type: orNull(
    Type.String({
      maxLength: tokenLimits.typeLengthMax,
      description: 'Only tokens of this type. Every type by default.',
    }),
  ),
};

const periodMembers = {
  ...scopeMembers,
  keep_for_days: days(
    'Remove a token that was created so many days ago, unless it has an `expires_at`. Of several rules, the one for the innermost container decides, and the longest period if a token is in several.',
  ),
  keep_until_unused_for_days: days(
    'Remove a token that nobody has read, used or changed for so many days, according to the audit log.',
  ),
  never_longer_than_days: days(
    'Remove a token that was created so many days ago, whatever its `expires_at`. A later `expires_at` is shortened when a token is written. The shortest of several rules decides.',
  ),
};

export const RuleWish = Type.Object(periodMembers, { description: 'A retention rule that may be created.' });
export const CreateRule = Type.Object(
  {
    ...periodMembers,
    confirmed_tokens: Type.Integer({
      minimum: 0,
      description: 'How many tokens the rule may remove when it takes effect, as the preview has counted them.',
    }),
  },
  { description: 'A retention rule to create.' },
);

const scopeView = {
  container: Type.Optional(Type.String({ description: 'The container. Absent for every container.' })),
  type: Type.Optional(Type.String({ description: 'The token type. Absent for every type.' })),
};

export const RuleView = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Id of the rule.' }),
    ...scopeView,
    keep_for_days: Type.Optional(Type.Integer({ description: 'How many days tokens without `expires_at` are kept.' })),
    keep_until_unused_for_days: Type.Optional(
      Type.Integer({ description: 'How many days tokens are kept after their last use.' }),
    ),
    never_longer_than_days: Type.Optional(Type.Integer({ description: 'How many days tokens are kept at most.' })),
    effective_at: Type.Optional(
      timestamp('From when the rule removes tokens. Absent until it is approved, if the tenant requires approvals.'),
    ),
    created_by: Type.Optional(
      Type.String({ format: 'uuid', description: 'Id of the application or user who created it.' }),
    ),
    created_at: timestamp('When it was created.'),
    approval: Type.Optional(ApprovalView),
  },
  { description: 'A rule that says how long tokens are kept.' },
);

export const PreviewView = Type.Object(
  {
    tokens: Type.Integer({ description: 'How many tokens the rules would remove if this one were in force.' }),
    held_tokens: Type.Integer({
      description: 'How many more are due, but kept by a legal hold until it is over. They need not be confirmed.',
    }),
    is_exact: Type.Boolean({
      description: 'False if a number is an upper bound: all old tokens, some of which may still be used.',
    }),
    due_since: Type.Optional(timestamp('Since when the first of them has been due. Absent if there are none.')),
  },
  { description: 'What a rule would do.' },
);
nameSchemas({
  RetentionRuleWish: RuleWish,
  CreateRetentionRuleRequest: CreateRule,
  RetentionRule: RuleView,
  RetentionPreview: PreviewView,
});

/** Returns the container and the type that a request names. Throws if they do not exist. */
export function parseScope(body: { readonly container?: string | null; readonly type?: string | null }): {
  readonly container: string | null;
  readonly type: string | null;
} {
  const fields: Record<string, string[]> = {};
  const { container: path = null, type = null } = body;
  const container = path === null ? null : parseContainer(path);
  if (container === undefined) fields['container'] = ['must be a path such as /pci/high/'];
  if (type !== null && findTokenType(type) === undefined)
    fields['type'] = [`must be one of ${tokenTypeNames.join(', ')}`];
  requireNone(fields);
  return { container: container === '/' ? null : (container ?? null), type };
}

export function toRulePeriods(body: Static<typeof RuleWish>): RulePeriods {
  const rule = {
    ...parseScope(body),
    keepForDays: body.keep_for_days ?? null,
    unusedForDays: body.keep_until_unused_for_days ?? null,
    neverLongerDays: body.never_longer_than_days ?? null,
  };
  const isEmpty = [rule.keepForDays, rule.unusedForDays, rule.neverLongerDays].every((period) => period === null);
  const message = 'must be given, or keep_until_unused_for_days or never_longer_than_days';
  requireNone(isEmpty ? { keep_for_days: [message] } : {});
  return rule;
}

function requireNone(fields: FieldErrors): void {
  if (Object.keys(fields).length > 0)
    throw new DomainError('validation-failed', 'The request did not pass validation.', { fields });
}

/** Returns the members of a view that say which tokens it is about. */
export function toScopeView({ container, type }: { readonly container: string | null; readonly type: string | null }) {
  return { ...(container === null ? {} : { container }), ...(type === null ? {} : { type }) };
}

export function toRuleView(rule: ShownRule): Static<typeof RuleView> {
  const { keepForDays, unusedForDays, neverLongerDays, effectiveAt, createdBy } = rule;
  return {
    id: rule.id,
    ...toScopeView(rule),
    ...(keepForDays === null ? {} : { keep_for_days: keepForDays }),
    ...(unusedForDays === null ? {} : { keep_until_unused_for_days: unusedForDays }),
    ...(neverLongerDays === null ? {} : { never_longer_than_days: neverLongerDays }),
    ...(effectiveAt === null ? {} : { effective_at: toTimestamp(effectiveAt) }),
    ...(createdBy === null ? {} : { created_by: createdBy }),
    created_at: toTimestamp(rule.createdAt),
    ...toApprovalField(rule.approval),
  };
}

export function toPreviewView({ tokens, held, isExact, dueSince }: RetentionPreview): Static<typeof PreviewView> {
  const since = dueSince === undefined ? {} : { due_since: toTimestamp(dueSince) };
  return { tokens, held_tokens: held, is_exact: isExact, ...since };
}
