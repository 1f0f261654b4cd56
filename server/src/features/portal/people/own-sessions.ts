import { isUuid } from '../../../core/identity/ids.ts';
import type { AuditLog } from '../../../platform/audit/record/audit-log.ts';
import { successEvent } from '../../../platform/audit/record/audit-event.ts';
import type { Database } from '../../../platform/database/database.ts';
import { type OwnSession, OwnSessionStore } from './own-session-store.ts';
import type { Origin, UserSession } from './user.ts';
import { UserStore } from './user-store.ts';

/** Shows users where they are signed in, and signs them out there. */
export class OwnSessions {
  readonly #database: Database;
  readonly #audit: AuditLog;

  constructor(parts: { database: Database; audit: AuditLog }) {
    this.#database = parts.database;
    this.#audit = parts.audit;
  }

  list({ user }: UserSession): Promise<OwnSession[]> {
    return this.#database.forPortal((tx) => new OwnSessionStore(tx, user.id).list());
  }

  /** Ends one session of this user. Ids of other users, and of sessions that have ended, change nothing. */
  async end(session: UserSession, id: string, origin: Origin): Promise<void> {
    if (!isUuid(id)) return;
    const ended = await this.#database.forPortal(async (tx) => {
      await new UserStore(tx).lock(session.user.id);
      return new OwnSessionStore(tx, session.user.id).end(id);
    });
    await this.#record(session, ended, origin);
  }

  /** Ends all sessions of this user, including this one, and sign-in links that have not been used. */
  async endAll(session: UserSession, origin: Origin): Promise<void> {
    const ended = await this.#database.forPortal(async (tx) => {
      // A sign-in method that somebody is setting up with one of the sessions is either stored before, or not at all.
      await new UserStore(tx).lock(session.user.id);
      const store = new OwnSessionStore(tx, session.user.id);
      await store.endLinks();
      return store.end();
    });
    await this.#record(session, ended, origin);
  }

  async #record({ user, memberships }: UserSession, ended: readonly string[], origin: Origin): Promise<void> {
    const records = memberships.flatMap(({ tenantId }) =>
      ended.map((id) =>
        this.#audit.append({ tenantId, userId: user.id, ...origin }, successEvent('session', id, 'sign_out')),
      ),
    );
    await Promise.all(records);
  }
}
