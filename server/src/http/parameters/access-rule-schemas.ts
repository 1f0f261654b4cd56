import { type Static, Type } from 'typebox';
import { type AccessRule, conditionAttributes, conditionOperators, transforms } from '../../core/access/access-rule.ts';
import { parseContainer } from '../../core/access/container.ts';
import {
  type ApplicationType,
  applicationTypes,
  findPermission,
  type Permission,
  permissionCatalog,
  permissionsOf,
} from '../../core/access/permission.ts';
import { invalidField } from '../../core/errors/domain-error.ts';
import { tokenLimits } from '../../core/token-limits.ts';
import { nameSchemas } from '../routes/api-components.ts';
import { orNull } from './optional-schemas.ts';
import { plainText } from './text-schemas.ts';

/**
 * The schema options of a permission. It is not an enumeration, because the allowed values depend on the application
 * type. The error message lists them.
 */
export const permissionName = { maxLength: 100, examples: permissionCatalog.map(({ type }) => type) };
export const PermissionName = Type.String({
  ...permissionName,
  description:
    'A permission that `GET /permissions` lists for the application type. `proxy:invoke` is an alias of `token:use`.',
});
export const PermissionNames = Type.Array(PermissionName, {
  maxItems: 50,
  description:
    'Permissions on all containers. What they let the application read is masked; only rules reveal plaintext.',
});

/** The maximum length of a condition. A condition refers to an id or a container. */
const conditionLengthMax = Math.max(tokenLimits.idLengthMax, tokenLimits.containerLengthMax);

const rule = {
  description: orNull(plainText({ maxLength: 500, description: 'The purpose of the rule.' })),
  priority: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    description: 'The matching rule with the lowest priority number decides. Each rule has a different number.',
  }),
  container: Type.String({
    maxLength: tokenLimits.containerLengthMax,
    description: 'The container, such as `/pci/`, that the rule is about. It includes everything in it.',
  }),
  transform: Type.Enum([...transforms], {
    description: 'What is shown of data: `redact` nothing, `mask` the masked data, `reveal` plaintext.',
  }),
  permissions: Type.Array(PermissionName, {
    minItems: 1,
    maxItems: 50,
    description: 'The permissions that the rule grants.',
  }),
};

/** A rule of an application. It applies to a container and everything below it. */
export const AccessRuleBody = Type.Object(
  {
    ...rule,
    // If conditions were ignored like other unknown properties, the rule would grant more than requested.
    conditions: orNull(
      Type.Array(Type.Unknown(), {
        maxItems: 0,
        description: 'Rules of applications have no conditions, only a container.',
      }),
    ),
  },
  { description: 'What an application may do with the tokens in a container.' },
);

export const AccessRuleView = Type.Object(
  { ...rule, description: Type.Optional(Type.String({ description: 'The purpose of the rule.' })) },
  { description: 'What an application may do with the tokens in a container.' },
);

const RuleCondition = Type.Object(
  {
    attribute: Type.Enum([...conditionAttributes], { description: 'The attribute to compare.' }),
    operator: Type.Enum([...conditionOperators], { description: 'The kind of comparison.' }),
    value: plainText({ minLength: 1, maxLength: conditionLengthMax, description: 'The value to compare with.' }),
  },
  { description: 'A condition on the id or a container of a token.' },
);

/** A rule of a session. It applies to a container, or to tokens that meet all conditions. */
export const SessionRuleBody = Type.Object(
  {
    ...rule,
    container: orNull(rule.container),
    conditions: orNull(
      Type.Array(RuleCondition, {
        maxItems: 20,
        description:
          'Use either a container or conditions. With conditions, the rule applies to tokens that meet all of them.',
      }),
    ),
  },
  { description: 'What a session may do with the tokens in a container, or with tokens that meet conditions.' },
);

export const SessionRuleView = Type.Object(
  {
    ...AccessRuleView.properties,
    container: Type.Optional(rule.container),
    conditions: Type.Optional(
      Type.Array(RuleCondition, { description: 'The rule applies to tokens that meet all of these conditions.' }),
    ),
  },
  { description: 'What a session may do with the tokens in a container, or with tokens that meet conditions.' },
);

nameSchemas({
  AccessRuleRequest: AccessRuleBody,
  AccessRule: AccessRuleView,
  RuleCondition,
  SessionRuleRequest: SessionRuleBody,
  SessionRule: SessionRuleView,
});

export const rulesMax = 100;
/** The maximum number of conditions in all rules of a session. A rule on a container counts as one. */
export const conditionsMax = 400;

export function toSessionRules(bodies: readonly Static<typeof SessionRuleBody>[], path: string): AccessRule[] {
  const conditions = bodies.reduce((sum, body) => sum + Math.max(1, body.conditions?.length ?? 0), 0);
  if (conditions > conditionsMax) {
    throw invalidField(path, `must have at most ${conditionsMax} conditions together; each container counts as one`);
  }
  return bodies.map((body, index) => toSessionRule(body, `${path}.${index}`));
}

/** Returns the permissions with these names, without duplicates. */
export function toPermissions(names: readonly string[], path: string, type?: ApplicationType): Permission[] {
  return [...new Set(names.map((name, index) => toPermission(name, `${path}.${index}`, type)))];
}

/** Returns the permission with this name. Without a type, the error message lists the permissions of each type. */
export function toPermission(name: string, path: string, type?: ApplicationType): Permission {
  const permission = findPermission(name);
  if (permission !== undefined) return permission;
  throw invalidField(path, (type === undefined ? applicationTypes : [type]).map(toPermissionHint).join('; '));
}

/** Returns the message for a permission that the application type cannot have. */
export function toPermissionHint(type: ApplicationType): string {
  return `must be permissions that a ${type} application can hold: ${permissionsOf(type).join(', ')}`;
}

function toSessionRule(body: Static<typeof SessionRuleBody>, path: string): AccessRule {
  const { container, conditions } = body;
  const hasConditions = conditions !== undefined && conditions !== null && conditions.length > 0;
  if ((typeof container === 'string') === hasConditions) {
    throw invalidField(path, 'must have either a container or conditions');
  }
  if (typeof container === 'string') return toAccessRule({ ...body, container, conditions: [] }, path, 'private');
  return {
    description: body.description ?? '',
    priority: body.priority,
    // Containers are stored in lower case, so conditions on them are compared in lower case.
    conditions: (conditions ?? []).map((condition, index) => ({
      ...condition,
      value:
        condition.attribute === 'container'
          ? toPathBeginning(condition.value, `${path}.conditions.${index}.value`)
          : condition.value,
    })),
    transform: body.transform,
    permissions: toPermissions(body.permissions, `${path}.permissions`, 'private'),
  };
}

/**
 * Rejects text that no path can contain. A blank would be read as the end of one container and the beginning of the
 * next.
 */
function toPathBeginning(text: string, path: string): string {
  if (/^[A-Za-z0-9_/-]+$/.test(text)) return text.toLowerCase();
  throw invalidField(path, 'must contain only slashes, letters, digits, hyphens and underscores');
}

export function toAccessRule(body: Static<typeof AccessRuleBody>, path: string, type?: ApplicationType): AccessRule {
  return {
    description: body.description ?? '',
    priority: body.priority,
    container: toContainer(body.container, `${path}.container`),
    transform: body.transform,
    permissions: toPermissions(body.permissions, `${path}.permissions`, type),
  };
}

export function toContainer(text: string, path: string): string {
  const container = parseContainer(text);
  if (container !== undefined) return container;
  throw invalidField(path, 'must start and end with a slash and contain only letters, digits, hyphens and underscores');
}

export function toAccessRuleView(rule: AccessRule): Static<typeof AccessRuleView> {
  const { description, priority, container, transform, permissions } = rule;
  return {
    ...(description === '' ? {} : { description }),
    priority,
    container: container ?? '',
    transform,
    permissions: [...permissions],
  };
}

export function toSessionRuleView({ conditions, ...rule }: AccessRule): Static<typeof SessionRuleView> {
  const { container, ...view } = toAccessRuleView(rule);
  return conditions === undefined ? { ...view, container } : { ...view, conditions: [...conditions] };
}
