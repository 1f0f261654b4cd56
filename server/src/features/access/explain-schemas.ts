import { type Static, Type } from 'typebox';
import { containerLengthMax, parseContainer } from '../../core/access/container.ts';
import { isPlainPermission } from '../../core/access/decide-access.ts';
import { invalidField } from '../../core/errors/domain-error.ts';
import type { ApplicationId, TokenId } from '../../core/identity/ids.ts';
import {
  AccessRuleBody,
  AccessRuleView,
  PermissionName,
  rulesMax,
  toAccessRule,
  toAccessRuleView,
} from '../../http/access-rule-schemas.ts';
import { requireUuid } from '../../http/uuid-parameter.ts';
import { noSuchApplication } from '../applications/index.ts';
import { isTokenId, noSuchToken } from '../tokens/index.ts';
import { type Explanation, type ExplainQuestion, requireOneOf } from './explain-service.ts';

export const ExplainAccess = Type.Object({
  application_id: Type.Optional(
    Type.String({ description: 'An application, or a draft of permissions and rules instead.' }),
  ),
  permissions: Type.Optional(Type.Array(PermissionName, { maxItems: 50 })),
  rules: Type.Optional(Type.Array(AccessRuleBody, { maxItems: rulesMax })),
  token_id: Type.Optional(Type.String({ description: 'A token, or a container instead.' })),
  container: Type.Optional(Type.String({ maxLength: containerLengthMax })),
  permission: Type.Optional(PermissionName),
});

const Decision = Type.Object({
  permission: Type.String(),
  is_allowed: Type.Boolean(),
  reason: Type.Optional(Type.String({ description: 'Why not, as a fixed word.' })),
  transform: Type.Optional(Type.String()),
  rule: Type.Optional(AccessRuleView),
  is_plain_permission: Type.Optional(Type.Boolean({ description: 'The grant is a plain permission, not a rule.' })),
  sees: Type.Optional(
    Type.Object({
      data: Type.Enum(['plaintext', 'masked', 'nothing']),
      mask: Type.Optional(Type.String({ description: 'JSON text of the mask; of a token only.' })),
    }),
  ),
});

export const ExplanationView = Type.Object({ decisions: Type.Array(Decision) });

export function toExplainQuestion(body: Static<typeof ExplainAccess>): ExplainQuestion {
  const isDraft = body.permissions !== undefined || body.rules !== undefined;
  requireOneOf({ application_id: body.application_id !== undefined, rules: isDraft });
  requireOneOf({ token_id: body.token_id !== undefined, container: body.container !== undefined });
  return {
    subject:
      body.application_id === undefined
        ? {
            permissions: body.permissions ?? [],
            rules: (body.rules ?? []).map((rule, index) => toAccessRule(rule, `rules.${index}`)),
          }
        : { applicationId: requireUuid<ApplicationId>(body.application_id, noSuchApplication) },
    target:
      body.token_id === undefined
        ? { container: toContainer(body.container ?? '') }
        : { tokenId: toTokenId(body.token_id) },
    permission: body.permission,
  };
}

export function toExplanationView(explanations: readonly Explanation[]): Static<typeof ExplanationView> {
  return { decisions: explanations.map(toDecision) };
}

function toDecision({ permission, decision, mask }: Explanation): Static<typeof Decision> {
  if (!decision.isAllowed) return { permission, is_allowed: false, reason: decision.reason };
  const { transform, rule } = decision;
  const isPlain = isPlainPermission(rule);
  return {
    permission,
    is_allowed: true,
    transform,
    is_plain_permission: isPlain,
    ...(isPlain ? {} : { rule: toAccessRuleView(rule) }),
    sees: { data: seen[transform], ...(mask === undefined ? {} : { mask }) },
  };
}

const seen = { reveal: 'plaintext', mask: 'masked', redact: 'nothing' } as const;

function toContainer(text: string): string {
  const container = parseContainer(text);
  if (container === undefined) throw invalidField('container', 'must start and end with a slash');
  return container;
}

function toTokenId(text: string): TokenId {
  if (!isTokenId(text)) throw noSuchToken();
  return text;
}
