import type { Database } from '../../../platform/database/database.ts';
import { databaseClock } from '../../../platform/database/database-clock.ts';
import { IdentityStore } from './identity-store.ts';
import { PasskeyStore } from './passkey-store.ts';
import { UserSessionStore } from '../people/user-session-store.ts';
import { UserStore } from '../people/user-store.ts';
import { countUsableWays, type SignInWay, type UserSession, withoutWay } from '../people/user.ts';

export class WayRemoval {
  readonly #database: Database;
  /** The issuer of the provider that users can currently sign in with. */
  readonly #issuer: string | undefined;

  constructor(parts: { database: Database; issuer: string | undefined }) {
    this.#database = parts.database;
    this.#issuer = parts.issuer;
  }

  /**
   * Removes a sign-in method. Returns `last` and removes nothing if no method would remain and the user has not agreed
   * to that. All other sessions of the user are ended, because a method may have been removed out of fear that somebody
   * else has it.
   */
  remove(
    { id, user }: UserSession,
    way: SignInWay,
    { isLastAccepted }: { readonly isLastAccepted: boolean },
  ): Promise<'removed' | 'last' | 'unknown'> {
    return this.#database.forPortal(async (tx) => {
      const users = new UserStore(tx);
      // Removals run one at a time, because each of two concurrent ones would assume that the other's method remains.
      await users.lock(user.id);
      const ways = await users.listWays(user.id);
      const left = withoutWay(ways, way);
      if (left === ways) return 'unknown';
      if (countUsableWays(left, this.#issuer) === 0 && !isLastAccepted) return 'last';
      if (way.kind === 'passkey') await new PasskeyStore(tx).delete(user.id, way.id);
      else await new IdentityStore(tx).delete(user.id, way.issuer);
      await new UserSessionStore(tx, databaseClock).deleteOthers(user.id, id);
      return 'removed';
    });
  }
}
