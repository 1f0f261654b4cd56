import type { KeyCaller } from '../../../core/identity/caller.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import type { SqlValue } from '../../../platform/database/database.ts';
import { StatementError } from '../../../platform/database/database-error.ts';

/** Raised by `require_room_for_sets`. */
const refusals: ReadonlyMap<string, string> = new Map([
  ['SR003', 'The tenant has reached its limit of different container sets. Put the token into an existing set.'],
  [
    'SR004',
    'The public and session keys of the tenant have reached their daily limit of new container sets. Put the token into an existing set.',
  ],
]);

/** A condition for every statement that writes tokens, with the first of the four parameters that `toRoomValues` gives. */
export function hasRoomForSets(parameter: number): string {
  const [wanted, byPublic, tenantMax, publicMax] = [0, 1, 2, 3].map((index) => `$${parameter + index}`);
  return `(select require_room_for_sets($1, ${wanted}::text[], ${byPublic}::text[], ${tenantMax}::integer, ${publicMax}::integer))`;
}

export function toRoomValues(sets: readonly WantedSet[], limits: ContainerSetLimits): SqlValue[] {
  const shelvesOf = (some: readonly WantedSet[]) => new Set(some.map(({ shelf }) => shelf));
  const wanted = shelvesOf(sets);
  // What a private key asks for in the same batch is not made by a public one.
  const byPrivate = shelvesOf(sets.filter(({ isPublic }) => !isPublic));
  return [[...wanted], [...wanted.difference(byPrivate)], limits.tenantMax, limits.publicDailyMax];
}

/** Says in the words of the API why the statement was refused, where it was for want of room. */
export async function sayIfSetsAreFull<T>(writing: Promise<T>): Promise<T> {
  try {
    return await writing;
  } catch (error) {
    const refusal = error instanceof StatementError ? refusals.get(error.sqlState) : undefined;
    throw refusal === undefined ? error : new DomainError('too-many-container-sets', refusal, { cause: error });
  }
}

/** How many different sets of containers, by type of token, there may be: each makes lists a little slower. */
export interface ContainerSetLimits {
  /** Of one tenant. */
  readonly tenantMax: number;
  /** That the public and session keys of one tenant may make a day: anyone who loads a page has such a key. */
  readonly publicDailyMax: number;
}

/** For an operator, who decides on the limits and is held by none. */
export const unlimitedSets: ContainerSetLimits = { tenantMax: 2 ** 31 - 1, publicDailyMax: 2 ** 31 - 1 };

/** A set that a token goes into, and whether somebody asks for it who holds a public key. */
export interface WantedSet {
  readonly shelf: string;
  readonly isPublic: boolean;
}

export function isHeldByPublic({ applicationType, session }: KeyCaller): boolean {
  return applicationType === 'public' || session !== undefined;
}
