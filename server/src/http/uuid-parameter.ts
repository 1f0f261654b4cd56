import { Type } from 'typebox';
import type { DomainError } from '../core/errors/domain-error.ts';
import { isId } from '../core/identity/ids.ts';

/** Anything may stand in a path: what is not a UUID names nothing, and is answered like an id that does not exist. */
export const IdParameter = Type.Object({ id: Type.String() });

export function requireUuid<Id extends string>(text: string, notFound: () => DomainError): Id {
  const id = text.toLowerCase();
  if (!isId<Id>(id)) throw notFound();
  return id;
}
