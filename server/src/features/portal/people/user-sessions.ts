import type { TenantId } from '../../../core/identity/ids.ts';
import { noSingleEntity, type Outcome } from '../../../platform/audit/record/audit-event.ts';
import type { AuditLog } from '../../../platform/audit/record/audit-log.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import { type DatabaseClock, databaseClock } from '../../../platform/database/database-clock.ts';
import { generateNonce, parseNonce } from '../../../platform/keyring/sign-in/api-key.ts';
import type { SystemKeys } from '../../../platform/keyring/keys/system-keys.ts';
import { memberEvent } from '../../members/index.ts';
import { SignInAttempts } from './sign-in-attempts.ts';
import { SignInRefused } from './sign-in-refused.ts';
import { UserSessionStore } from './user-session-store.ts';
import { UserStore } from './user-store.ts';
import type { Membership, Origin, ProvenUser, SignInOrigin, SignInWays, UserSession } from './user.ts';

/** A new session. Its secret is stored only in the cookie. */
export interface StartedSession {
  readonly id: string;
  readonly cookie: string;
}

/** The user whose session starts, and the sign-in method. */
type NewSession = Omit<ProvenUser, 'provenSince'> & {
  /** The time when the sign-in method was set up. Null for a link. */
  readonly provenSince: Date | null;
};

interface UserSessionsParts {
  readonly database: Database;
  readonly systemKeys: SystemKeys;
  readonly audit: AuditLog;
  readonly clock?: DatabaseClock;
}

/**
 * Starts, finds and ends sessions of users. Every request reads the database, so that a removed member loses access on
 * every server as soon as the removal commits. There is no cache that could be stale.
 */
export class UserSessions {
  readonly #parts: UserSessionsParts;
  readonly #clock: DatabaseClock;
  readonly #attempts: SignInAttempts;

  constructor(parts: UserSessionsParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? databaseClock;
    this.#attempts = new SignInAttempts(parts);
  }

  /** Signs a user in, and records it for each of their tenants before the cookie is sent. */
  async start(user: NewSession, { browser, ...origin }: SignInOrigin): Promise<StartedSession> {
    const { userId } = user;
    const { started, memberships } = await this.#parts.database.forPortal(async (tx) => {
      if ((await user.stillProves?.(tx)) === false) {
        throw new SignInRefused('This way to sign in has just been removed or changed.');
      }
      const started = await this.startInTransaction(tx, user, { ...origin, browser });
      await new UserSessionStore(tx, this.#clock).trim(userId);
      return { started, memberships: await new UserStore(tx).listMemberships(userId) };
    });
    // A sign-in with any method ends a lock on the password, because the lock is no longer needed.
    await this.#attempts.forget(userId);
    await this.#record(memberships, {
      userId,
      sessionId: started.id,
      operation: 'sign_in',
      outcome: 'success',
      origin,
    });
    return started;
  }

  async startInTransaction(
    tx: Transaction,
    user: NewSession,
    { sourceAddress, browser }: SignInOrigin,
  ): Promise<StartedSession> {
    const { secret, text } = generateNonce();
    const id = crypto.randomUUID();
    const secretHash = this.#parts.systemKeys.hashCredential(secret);
    await new UserSessionStore(tx, this.#clock).insert({
      isAuthenticated: true,
      hasWeakPassword: false,
      isByProvider: false,
      ...user,
      id,
      secretHash,
      sourceAddress,
      browser,
    });
    return { id, cookie: text };
  }

  /** Finds the session of a cookie. `idleForSeconds` is how long ago the user was last active. */
  async find(cookie: string | undefined, idleForSeconds = 0): Promise<UserSession | undefined> {
    const secret = cookie === undefined ? undefined : parseNonce(cookie);
    if (secret === undefined) return undefined;
    const secretHash = this.#parts.systemKeys.hashCredential(secret);
    return this.#parts.database.forPortal((tx) =>
      new UserSessionStore(tx, this.#clock).find(secretHash, idleForSeconds),
    );
  }

  listWays({ user }: UserSession): Promise<SignInWays> {
    return this.#parts.database.forPortal((tx) => new UserStore(tx).listWays(user.id));
  }

  async end(session: UserSession, origin: Origin): Promise<void> {
    await this.#parts.database.forPortal((tx) => new UserSessionStore(tx, this.#clock).delete(session.id));
    const { id: sessionId, user } = session;
    await this.#record(session.memberships, {
      userId: user.id,
      sessionId,
      operation: 'sign_out',
      outcome: 'success',
      origin,
    });
  }

  /** Records a failed sign-in for this user. */
  async recordRefusal(userId: string, origin: Origin): Promise<void> {
    const memberships = await this.#parts.database.forPortal((tx) => new UserStore(tx).listMemberships(userId));
    await this.#record(memberships, {
      userId,
      sessionId: noSingleEntity,
      operation: 'sign_in',
      outcome: 'denied',
      origin,
    });
  }

  /** Changes the name that the members of the user's tenants see. */
  async rename({ user }: UserSession, name: string | undefined, origin: Origin): Promise<void> {
    await this.#parts.database.forPortal((tx) => new UserStore(tx).rename(user.id, name));
    await this.recordChange(user.id, origin, 'configure');
  }

  /** Records for the user's tenants that a sign-in method or the name changed, or that a recovery code was used. */
  async recordChange(
    userId: string,
    origin: Origin,
    operation: 'change_sign_in' | 'use_recovery_code' | 'configure' = 'change_sign_in',
  ): Promise<void> {
    const memberships = await this.#parts.database.forPortal((tx) => new UserStore(tx).listMemberships(userId));
    await Promise.all(
      memberships.map(({ tenantId, memberId }) =>
        this.#parts.audit.append({ tenantId, userId, ...origin }, memberEvent(memberId, operation)),
      ),
    );
  }

  async #record(
    memberships: readonly Pick<Membership, 'tenantId'>[],
    event: { userId: string; sessionId: string; operation: 'sign_in' | 'sign_out'; outcome: Outcome; origin: Origin },
  ): Promise<void> {
    const { userId, sessionId, operation, outcome, origin } = event;
    const append = (tenantId: TenantId) =>
      this.#parts.audit.append(
        { tenantId, userId, ...origin },
        { entityType: 'session', entityId: sessionId, operation, outcome },
      );
    await Promise.all(memberships.map(({ tenantId }) => append(tenantId)));
  }
}
