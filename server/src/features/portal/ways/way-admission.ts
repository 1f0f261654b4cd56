import { DomainError } from '../../../core/errors/domain-error.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { databaseClock } from '../../../platform/database/database-clock.ts';
import { alreadyHasWay, beganWithLink } from '../people/confined-session.ts';
import { UserSessionStore } from '../people/user-session-store.ts';
import { UserStore } from '../people/user-store.ts';
import { countUsableWays, type UserSession } from '../people/user.ts';

/** Decides whether a session may set up another sign-in method. */
export class WayAdmission {
  /** The issuer of the provider that users can currently sign in with. */
  readonly #issuer: string | undefined;

  constructor({ issuer }: { issuer: string | undefined }) {
    this.#issuer = issuer;
  }

  /**
   * Throws if the session has ended since the request began, or if it began with a link and its user already has a
   * sign-in method. It locks the user until the transaction ends, so that the second of two concurrent set-ups is
   * rejected, and so that none remains that begins before its user signs out everywhere and ends afterwards.
   */
  async require(tx: Transaction, session: UserSession): Promise<void> {
    const users = new UserStore(tx);
    await users.lock(session.user.id);
    if (!(await new UserSessionStore(tx, databaseClock).isStored(session.id)))
      throw new DomainError('forbidden', 'You have been signed out. Sign in again to change how you sign in.');
    if (!beganWithLink(session)) return;
    if (countUsableWays(await users.listWays(session.user.id), this.#issuer) > 0) throw alreadyHasWay();
  }

  /**
   * Ends link sessions after the set-up, because they have served their purpose. The user signs in with the new method,
   * which shows that it works. A cookie that somebody else may have never gains rights.
   */
  async conclude(tx: Transaction, session: UserSession): Promise<void> {
    if (beganWithLink(session)) await new UserSessionStore(tx, databaseClock).deleteUnproven(session.user.id);
  }
}
