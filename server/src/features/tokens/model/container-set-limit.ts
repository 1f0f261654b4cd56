import type { KeyCaller } from '../../../core/identity/caller.ts';

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
