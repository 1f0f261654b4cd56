import type { Database } from '../../../platform/database/database.ts';
import { databaseClock } from '../../../platform/database/database-clock.ts';
import { IdentityStore } from './identity-store.ts';
import { PasskeyStore } from './passkey-store.ts';
import { UserSessionStore } from '../people/user-session-store.ts';
import { UserStore } from '../people/user-store.ts';
import { countUsableWays, type SignInWay, type UserSession, withoutWay } from '../people/user.ts';

/** Removes one way to sign in. */
export class WayRemoval {
  readonly #database: Database;
  /** The issuer of the provider that people can sign in with now. */
  readonly #issuer: string | undefined;

  constructor(parts: { database: Database; issuer: string | undefined }) {
    this.#database = parts.database;
    this.#issuer = parts.issuer;
  }

  /**
   * `last` if nothing would be left to sign in with and that is not what the user has agreed to; then nothing is removed. Other
   * sessions end: anyone who removes a way may fear that somebody else has it.
   */
  remove(
    { id, user }: UserSession,
    way: SignInWay,
    { isLastAccepted }: { readonly isLastAccepted: boolean },
  ): Promise<'removed' | 'last' | 'unknown'> {
    return this.#database.forPortal(async (tx) => {
      const users = new UserStore(tx);
      // One at a time: two that are removed at once would each count on the other.
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
