import { type Static, Type } from 'typebox';
import { parseContainer } from '../../core/access/container.ts';
import { isPlainPermission } from '../../core/access/decide-access.ts';
import { invalidField } from '../../core/errors/domain-error.ts';
import type { ApplicationId, TokenId } from '../../core/identity/ids.ts';
import { nameSchemas } from '../../http/routes/api-components.ts';
import {
  AccessRuleBody,
  AccessRuleView,
  permissionName,
  PermissionNames,
  rulesMax,
  toAccessRule,
  toAccessRuleView,
  toPermission,
  toPermissions,
} from '../../http/parameters/access-rule-schemas.ts';
import { orNull } from '../../http/parameters/optional-schemas.ts';
import { requireUuid } from '../../http/parameters/uuid-parameter.ts';
import { GrantLimitView, noSuchApplication, toGrantLimitView } from '../applications/index.ts';
import { isTokenId, noSuchToken } from '../tokens/index.ts';
import {
  type ExplainedAccess,
  type Explanation,
  type ExplainQuestion,
  type HandingOut,
  requireOneOf,
} from './explain-service.ts';
import { tokenLimits } from '../../core/token-limits.ts';

export const ExplainAccess = Type.Object(
  {
    application_id: orNull(
      Type.String({ description: 'An application. Alternatively, give draft permissions and rules.' }),
    ),
    permissions: orNull(PermissionNames),
    rules: orNull(Type.Array(AccessRuleBody, { maxItems: rulesMax, description: 'Draft rules.' })),
    token_id: orNull(Type.String({ description: 'Id of the token. Give either a token or a container.' })),
    container: orNull(
      Type.String({
        maxLength: tokenLimits.containerLengthMax,
        description: 'Path of the container. Give either a token or a container.',
      }),
    ),
    permission: orNull(
      Type.String({
        ...permissionName,
        description: 'The permission to explain. By default, all permissions on tokens are explained.',
      }),
    ),
  },
  { description: 'Whose access to explain, an application or a draft, and to what, a token or a container.' },
);

const Sight = Type.Object(
  {
    data: Type.Enum(['plaintext', 'masked', 'nothing'], { description: 'How much of the data is shown.' }),
    mask: Type.Optional(Type.String({ description: 'JSON text of the mask; for tokens only.' })),
  },
  { description: 'What the caller would see.' },
);
nameSchemas({ AccessSight: Sight });

const Decision = Type.Object(
  {
    permission: Type.String({ description: 'The permission.' }),
    is_allowed: Type.Boolean({ description: 'Whether access is granted.' }),
    reason: Type.Optional(Type.String({ description: 'A fixed word for why access is denied.' })),
    transform: Type.Optional(Type.String({ description: 'How data is shown: `redact`, `mask` or `reveal`.' })),
    rule: Type.Optional(AccessRuleView),
    is_plain_permission: Type.Optional(Type.Boolean({ description: 'The grant is a plain permission, not a rule.' })),
    authors_views: Type.Optional(
      Type.Boolean({
        description:
          'For token:update: whether a PATCH may set mask, search_indexes and fingerprint_expression on stored data, which amounts to access to its plaintext.',
      }),
    ),
    sees: Type.Optional(Sight),
  },
  { description: 'Whether a permission is granted, and why.' },
);

const HandsOut = Type.Object(
  {
    is_limited: Type.Boolean({ description: 'Whether the application has a grant limit.' }),
    limit: Type.Optional(GrantLimitView),
    reach: Type.Array(Type.String(), { description: 'A summary in words.' }),
  },
  { description: 'What the application can grant to others. Absent if it can grant nothing.' },
);
nameSchemas({ HandingOut: HandsOut });

export const ExplanationView = Type.Object(
  {
    decisions: Type.Array(Decision, { description: 'One entry for each permission.' }),
    hands_out: Type.Optional(HandsOut),
  },
  { description: 'What an application may do with a token or a container, and why.' },
);

nameSchemas({ ExplainAccessRequest: ExplainAccess, AccessDecision: Decision, AccessExplanation: ExplanationView });

export function toExplainQuestion(body: Static<typeof ExplainAccess>): ExplainQuestion {
  const applicationId = body.application_id ?? undefined;
  const tokenId = body.token_id ?? undefined;
  const container = body.container ?? undefined;
  const { permissions, rules, permission } = body;
  const isDraft = (permissions ?? rules ?? undefined) !== undefined;
  requireOneOf({ application_id: applicationId !== undefined, rules: isDraft });
  requireOneOf({ token_id: tokenId !== undefined, container: container !== undefined });
  return {
    subject:
      applicationId === undefined
        ? {
            permissions: toPermissions(permissions ?? [], 'permissions', 'private'),
            rules: (rules ?? []).map((rule, index) => toAccessRule(rule, `rules.${index}`, 'private')),
          }
        : { applicationId: requireUuid<ApplicationId>(applicationId, noSuchApplication) },
    target: tokenId === undefined ? { container: toContainer(container ?? '') } : { tokenId: toTokenId(tokenId) },
    permission:
      permission === undefined || permission === null ? undefined : toPermission(permission, 'permission', 'private'),
  };
}

export function toExplanationView({ decisions, handingOut }: ExplainedAccess): Static<typeof ExplanationView> {
  return {
    decisions: decisions.map(toDecision),
    ...(handingOut === undefined ? {} : { hands_out: toHandsOut(handingOut) }),
  };
}

function toHandsOut({ limit, isInviting }: HandingOut): Static<typeof HandsOut> {
  return {
    is_limited: limit !== null,
    ...(limit === null ? {} : { limit: toGrantLimitView(limit) }),
    reach: [
      limit === null
        ? 'It can create applications and keys with any permission, including reading all plaintext, because it has no grant_limit.'
        : 'It can create applications and keys within its grant_limit.',
      ...(isInviting
        ? [
            'It can invite or promote members, who can approve exports of plaintext; a grant_limit does not restrict that.',
          ]
        : []),
    ],
  };
}

function toDecision({ permission, decision, mask, authorsViews }: Explanation): Static<typeof Decision> {
  if (!decision.isAllowed) return { permission, is_allowed: false, reason: decision.reason };
  const { transform, rule } = decision;
  const isPlain = isPlainPermission(rule);
  return {
    permission,
    is_allowed: true,
    transform,
    is_plain_permission: isPlain,
    ...(isPlain ? {} : { rule: toAccessRuleView(rule) }),
    ...(authorsViews === undefined ? {} : { authors_views: authorsViews }),
    // A caller that can define a view of the data can see the data, even if the response to an update shows less.
    sees: { data: authorsViews === true ? 'plaintext' : seen[transform], ...(mask === undefined ? {} : { mask }) },
  };
}

const seen = { reveal: 'plaintext', mask: 'masked', redact: 'nothing' } as const;

export function toContainer(text: string): string {
  const container = parseContainer(text);
  if (container === undefined) throw invalidField('container', 'must start and end with a slash');
  return container;
}

export function toTokenId(text: string): TokenId {
  if (!isTokenId(text)) throw noSuchToken();
  return text;
}
