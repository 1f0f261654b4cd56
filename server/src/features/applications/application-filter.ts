import { type Static, Type } from 'typebox';
import { type ApplicationType, applicationTypes } from '../../core/access/permission.ts';
import { invalidField } from '../../core/errors/domain-error.ts';
import { isUuid } from '../../core/identity/ids.ts';
import { pageParameters } from '../../http/parameters/pagination.ts';
import { queryParameters } from '../../http/parameters/query-parameters.ts';

/** The applications, or the keys of one, to list. Undefined matches all. */
export interface ApplicationFilter {
  readonly ids: readonly string[] | undefined;
  readonly types: readonly ApplicationType[] | undefined;
}

/** The maximum number of ids in one request. */
const idsMax = 100;
const Id = Type.String({ maxLength: 36 });
const TypeName = Type.Enum([...applicationTypes]);

const filters = {
  id: Type.Optional(
    Type.Union([Id, Type.Array(Id, { maxItems: idsMax })], {
      description: 'Return only this id; may be repeated.',
    }),
  ),
  type: Type.Optional(
    Type.Union([TypeName, Type.Array(TypeName, { maxItems: applicationTypes.length })], {
      description: 'Return only this application type; may be repeated.',
    }),
  ),
};
export const ApplicationQuery = queryParameters({ ...pageParameters, ...filters });
export const ApplicationKeyQuery = queryParameters(filters);

export function parseApplicationFilter({ id, type }: Static<typeof ApplicationKeyQuery>): ApplicationFilter {
  const ids = id === undefined ? undefined : [id].flat();
  if (ids !== undefined && !ids.every(isUuid)) throw invalidField('id', 'must be a UUID');
  return { ids, types: type === undefined ? undefined : [type].flat() };
}
