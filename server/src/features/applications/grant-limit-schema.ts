import { type Static, Type } from 'typebox';
import { transforms } from '../../core/access/access-rule.ts';
import { tokenLimits } from '../../core/token-limits.ts';
import type { GrantLimit } from '../../core/access/grant-limit.ts';
import { PermissionName, toContainer, toPermissions } from '../../http/access-rule-schemas.ts';

const containersMax = 100;

/** All parts are required: a missing part would be unlimited. */
export const GrantLimitBody = Type.Object(
  {
    permissions: Type.Array(PermissionName, { maxItems: 50 }),
    containers: Type.Array(Type.String({ maxLength: tokenLimits.containerLengthMax }), {
      minItems: 1,
      maxItems: containersMax,
    }),
    transform: Type.Enum([...transforms]),
  },
  {
    description:
      'Management applications only: the most that this application can grant to the applications that it creates or changes. Without a limit, it can grant any permission, including reading plaintext. An update that omits it leaves it unchanged.',
  },
);

export const GrantLimitView = Type.Object({
  permissions: Type.Array(Type.String()),
  containers: Type.Array(Type.String()),
  transform: Type.Enum([...transforms]),
});

export function toGrantLimit(body: Static<typeof GrantLimitBody>): GrantLimit {
  return {
    permissions: [...new Set(toPermissions(body.permissions, 'grant_limit.permissions'))],
    containers: [
      ...new Set(body.containers.map((text, index) => toContainer(text, `grant_limit.containers.${index}`))),
    ],
    transform: body.transform,
  };
}

export function toGrantLimitView({ permissions, containers, transform }: GrantLimit): Static<typeof GrantLimitView> {
  return { permissions: [...permissions], containers: [...containers], transform };
}
