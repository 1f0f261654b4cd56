import { type Static, Type } from 'typebox';
import { type AccessRule, transforms } from '../core/access/access-rule.ts';
import { containerLengthMax, parseContainer } from '../core/access/container.ts';
import { permissionCatalog } from '../core/access/permission.ts';
import { invalidField } from '../core/errors/domain-error.ts';

export const PermissionName = Type.Enum(permissionCatalog.map(({ type }) => type));

/** A rule as applications carry it: on a container and everything below. */
export const AccessRuleBody = Type.Object({
  description: Type.Optional(Type.String({ maxLength: 500 })),
  priority: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
  container: Type.String({ maxLength: containerLengthMax }),
  transform: Type.Enum([...transforms]),
  permissions: Type.Array(PermissionName, { minItems: 1, maxItems: 50 }),
});

export const rulesMax = 100;

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
