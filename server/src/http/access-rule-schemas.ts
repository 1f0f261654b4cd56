import { type Static, Type } from 'typebox';
import { type AccessRule, conditionAttributes, conditionOperators, transforms } from '../core/access/access-rule.ts';
import { containerLengthMax, parseContainer } from '../core/access/container.ts';
import { permissionCatalog } from '../core/access/permission.ts';
import { invalidField } from '../core/errors/domain-error.ts';
import { plainText } from './text-schemas.ts';

export const PermissionName = Type.Enum(permissionCatalog.map(({ type }) => type));

const rule = {
  description: Type.Optional(plainText({ maxLength: 500 })),
  priority: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
  container: Type.String({ maxLength: containerLengthMax }),
  transform: Type.Enum([...transforms]),
  permissions: Type.Array(PermissionName, { minItems: 1, maxItems: 50 }),
};

/** A rule as applications carry it: on a container and everything below. */
export const AccessRuleBody = Type.Object({
  ...rule,
  // Ignoring them like any other property would grant more than was asked for.
  conditions: Type.Optional(
    Type.Array(Type.Unknown(), { maxItems: 0, description: 'Rules of applications have a container instead.' }),
  ),
});

export const AccessRuleView = Type.Object(rule);

/** A rule as sessions carry it: on a container, or on what meets all conditions. */
export const SessionRuleBody = Type.Object({
  ...rule,
  container: Type.Optional(Type.Union([rule.container, Type.Null()])),
  conditions: Type.Optional(
    Type.Union([
      Type.Array(
        Type.Object({
          attribute: Type.Enum([...conditionAttributes]),
          operator: Type.Enum([...conditionOperators]),
          value: plainText({ minLength: 1, maxLength: containerLengthMax }),
        }),
        { maxItems: 20 },
      ),
      Type.Null(),
    ]),
  ),
});

export const rulesMax = 100;

export function toSessionRule(body: Static<typeof SessionRuleBody>, path: string): AccessRule {
  const { container, conditions } = body;
  const hasConditions = conditions !== undefined && conditions !== null && conditions.length > 0;
  if ((typeof container === 'string') === hasConditions) {
    throw invalidField(path, 'must have either a container or conditions');
  }
  if (typeof container === 'string') return toAccessRule({ ...body, container, conditions: [] }, path);
  return {
    description: body.description ?? '',
    priority: body.priority,
    // Containers are stored in lower case, so a demand on them is compared in lower case.
    conditions: (conditions ?? []).map((condition) => ({
      ...condition,
      value: condition.attribute === 'container' ? condition.value.toLowerCase() : condition.value,
    })),
    transform: body.transform,
    permissions: body.permissions,
  };
}

export function toAccessRule(body: Static<typeof AccessRuleBody>, path: string): AccessRule {
  const container = parseContainer(body.container);
  if (container === undefined) {
    throw invalidField(
      `${path}.container`,
      'must start and end with a slash and hold letters, digits, hyphens and underscores',
    );
  }
  return {
    description: body.description ?? '',
    priority: body.priority,
    container,
    transform: body.transform,
    permissions: body.permissions,
  };
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
