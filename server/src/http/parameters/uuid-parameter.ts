import { type Static, Type } from 'typebox';
import type { DomainError } from '../../core/errors/domain-error.ts';
import { isId } from '../../core/identity/ids.ts';

/**
 * Returns the schema of an id in a path. A path can contain anything, so text that is not a UUID is treated like an id
 * that does not exist.
 */
export function idParameter(description: string) {
  return Type.Object({ id: Type.String({ description }) });
}

export type IdParameter = Static<ReturnType<typeof idParameter>>;

export function requireUuid<Id extends string>(text: string, notFound: () => DomainError): Id {
  const id = text.toLowerCase();
  if (!isId<Id>(id)) throw notFound();
  return id;
}
