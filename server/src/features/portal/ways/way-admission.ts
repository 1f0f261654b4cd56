import type { Transaction } from '../../../platform/database/database.ts';
import { databaseClock } from '../../../platform/database/database-clock.ts';
import { alreadyHasWay, isLinkOnly } from '../people/confined-session.ts';
import { UserSessionStore } from '../people/user-session-store.ts';
import { UserStore } from '../people/user-store.ts';
import { countUsableWays, type UserSession } from '../people/user.ts';

/** Decides whether a session may set up another way to sign in. */
export class WayAdmission {
  /** The issuer of the provider that people can sign in with now. */
  readonly #issuer: string | undefined;

  constructor({ issuer }: { issuer: string | undefined }) {
    this.#issuer = issuer;
  }

  /**
   * Throws if a link is all that the session has and its user has a way to sign in already. Holds the user until the transaction
   * ends, so that of two ways that are set up at once the second is refused.
   */
  async require(tx: Transaction, session: UserSession): Promise<void> {
    if (!isLinkOnly(session)) return;
    const users = new UserStore(tx);
    await users.lock(session.user.id);
    if (countUsableWays(await users.listWays(session.user.id), this.#issuer) > 0) throw alreadyHasWay();
  }

  /**
   * Called once the way is set up: links have served their purpose, and the user signs in with the new way. That shows that it
   * works, and a cookie that somebody else may know never gains rights.
   */
  async conclude(tx: Transaction, session: UserSession): Promise<void> {
    if (isLinkOnly(session)) await new UserSessionStore(tx, databaseClock).deleteUnproven(session.user.id);
  }
}
