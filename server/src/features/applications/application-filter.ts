import { type Static, Type } from 'typebox';
import { type ApplicationType, applicationTypes } from '../../core/access/permission.ts';
import { invalidField } from '../../core/errors/domain-error.ts';
import { isUuid } from '../../core/identity/ids.ts';
import { pageParameters } from '../../http/pagination.ts';

/** Which applications are listed; undefined means all. */
export interface ApplicationFilter {
  readonly ids: readonly string[] | undefined;
  readonly types: readonly ApplicationType[] | undefined;
}

/** How many ids one request may ask for. */
const idsMax = 100;
const Id = Type.String({ maxLength: 36 });
const TypeName = Type.Enum([...applicationTypes]);

export const ApplicationQuery = Type.Object({
  ...pageParameters,
  id: Type.Optional(
    Type.Union([Id, Type.Array(Id, { maxItems: idsMax })], {
      description: 'Only applications with this id; may be repeated.',
    }),
  ),
  type: Type.Optional(
    Type.Union([TypeName, Type.Array(TypeName, { maxItems: applicationTypes.length })], {
      description: 'Only applications of this type; may be repeated.',
    }),
  ),
});

export function parseApplicationFilter({ id, type }: Static<typeof ApplicationQuery>): ApplicationFilter {
  const ids = id === undefined ? undefined : [id].flat();
  if (ids !== undefined && !ids.every(isUuid)) throw invalidField('id', 'must be a UUID');
  return { ids, types: type === undefined ? undefined : [type].flat() };
}
