import { type Static, Type } from 'typebox';
import { transforms } from '../../core/access/access-rule.ts';
import { tokenLimits } from '../../core/token-limits.ts';
import type { GrantLimit } from '../../core/access/grant-limit.ts';
import { nameSchemas } from '../../http/routes/api-components.ts';
import { PermissionName, toContainer, toPermissions } from '../../http/parameters/access-rule-schemas.ts';

const containersMax = 100;

const texts = {
  permissions: 'Permissions that it can grant.',
  containers: 'Containers on which it can grant them; each includes everything in it.',
  transform: 'The most that it can let others see: `reveal` is plaintext.',
};
const description =
  'The most that a management application can grant to the applications that it creates or changes. Without a limit, it can grant any permission, including reading plaintext.';

/** All parts are required, because a missing part would mean no limit. */
export const GrantLimitBody = Type.Object(
  {
    permissions: Type.Array(PermissionName, { maxItems: 50, description: texts.permissions }),
    containers: Type.Array(Type.String({ maxLength: tokenLimits.containerLengthMax }), {
      minItems: 1,
      maxItems: containersMax,
      description: texts.containers,
    }),
    transform: Type.Enum([...transforms], { description: texts.transform }),
  },
  { description: `${description} For management applications only. An update that omits it leaves it unchanged.` },
);

export const GrantLimitView = Type.Object(
  {
    permissions: Type.Array(Type.String(), { description: texts.permissions }),
    containers: Type.Array(Type.String(), { description: texts.containers }),
    transform: Type.Enum([...transforms], { description: texts.transform }),
  },
  { description },
);
nameSchemas({ GrantLimitRequest: GrantLimitBody, GrantLimit: GrantLimitView });

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
