import type { KeyCaller } from '../../../core/identity/caller.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import type { SqlValue } from '../../../platform/database/database.ts';
import { StatementError } from '../../../platform/database/database-error.ts';

/** Messages for the SQL states that `require_room_for_sets` raises. */
const refusals: ReadonlyMap<string, string> = new Map([
  ['SR003', 'The tenant has reached its limit of different container sets. Put the token into an existing set.'],
  [
    'SR004',
    'The public and session keys of the tenant have reached their daily limit of new container sets. Put the token into an existing set.',
  ],
]);

/**
 * Returns a condition for every statement that writes tokens. `parameter` is the first of the four parameters from
 * `toRoomValues`.
 */
export function hasRoomForSets(parameter: number): string {
  const [wanted, byPublic, tenantMax, publicMax] = [0, 1, 2, 3].map((index) => `$${parameter + index}`);
  return `(select require_room_for_sets($1, ${wanted}::text[], ${byPublic}::text[], ${tenantMax}::integer, ${publicMax}::integer))`;
}

export function toRoomValues(sets: readonly WantedSet[], limits: ContainerSetLimits): SqlValue[] {
  const shelvesOf = (some: readonly WantedSet[]) => new Set(some.map(({ shelf }) => shelf));
  const wanted = shelvesOf(sets);
  // A set that is also requested with a private key in the same batch does not count towards the limit of public keys.
  const byPrivate = shelvesOf(sets.filter(({ isPublic }) => !isPublic));
  return [[...wanted], [...wanted.difference(byPrivate)], limits.tenantMax, limits.publicDailyMax];
}

/** Translates the error of a statement that was rejected because of the set limits into an API error. */
export async function sayIfSetsAreFull<T>(writing: Promise<T>): Promise<T> {
  try {
    return await writing;
  } catch (error) {
    const refusal = error instanceof StatementError ? refusals.get(error.sqlState) : undefined;
    throw refusal === undefined ? error : new DomainError('too-many-container-sets', refusal, { cause: error });
  }
}

/** Limits on different sets of containers, counted per token type. Each set makes lists a little slower. */
export interface ContainerSetLimits {
  /** The number of sets that one tenant may have. */
  readonly tenantMax: number;
  /**
   * The number of new sets per day that the public and session keys of one tenant may create. Anyone who loads a page
   * has such a key.
   */
  readonly publicDailyMax: number;
}

/** Used for operators, who decide on the limits and are not subject to them. */
export const unlimitedSets: ContainerSetLimits = { tenantMax: 2 ** 31 - 1, publicDailyMax: 2 ** 31 - 1 };

/** A set that a token goes into, and whether it is requested with a public or session key. */
export interface WantedSet {
  readonly shelf: string;
  readonly isPublic: boolean;
}

export function isHeldByPublic({ applicationType, session }: KeyCaller): boolean {
  return applicationType === 'public' || session !== undefined;
}
