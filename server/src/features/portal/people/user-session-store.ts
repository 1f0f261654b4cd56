import type { Transaction } from '../../../platform/database/database.ts';
import type { DatabaseClock } from '../../../platform/database/database-clock.ts';
import { UserStore } from './user-store.ts';
import type { UserSession } from './user.ts';

/** The idle time after which a session ends (PCI DSS 8.2.8). */
export const idleSeconds = 15 * 60;
export const lifetimeSeconds = 12 * 60 * 60;
const freshSeconds = 15 * 60;
/** The minimum interval between two updates of a session that is in use. */
const touchSeconds = 60;
const sessionsMax = 20;

/** Stores user sessions. The system role finds and ends them, and a tenant scope can also start one. */
export class UserSessionStore {
  readonly #tx: Transaction;
  readonly #now: string;

  constructor(tx: Transaction, clock: DatabaseClock) {
    this.#tx = tx;
    this.#now = `(now() + make_interval(secs => ${clock.aheadSeconds}))`;
  }

  async insert(session: {
    readonly id: string;
    readonly userId: string;
    readonly secretHash: Buffer;
    readonly provenSince: Date | null;
    readonly isAuthenticated: boolean;
    readonly hasWeakPassword: boolean;
    readonly isByProvider: boolean;
    readonly sourceAddress: string;
    readonly browser: string | undefined;
  }): Promise<void> {
    await this.#tx.query({
      text: `insert into user_sessions (id, user_id, secret_hash, proven_since, is_authenticated, has_weak_password,
          is_by_provider, source_address, browser, created_at, last_seen_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, ${this.#now}, ${this.#now})`,
      values: [
        session.id,
        session.userId,
        session.secretHash,
        session.provenSince,
        session.isAuthenticated,
        session.hasWeakPassword,
        session.isByProvider,
        session.sourceAddress,
        session.browser ?? null,
      ],
    });
  }

  /** Removes the oldest sessions if a user has too many. */
  async trim(userId: string): Promise<void> {
    await this.#tx.query({
      text: `delete from user_sessions where user_id = $1 and id not in
        (select id from user_sessions where user_id = $1 order by created_at desc, id limit $2)`,
      values: [userId, sessionsMax],
    });
  }

  /**
   * Finds a session that is neither too old nor idle for too long, and keeps it alive. `idleForSeconds` is how long ago
   * the user was last active, and only that activity counts.
   */
  async find(secretHash: Buffer, idleForSeconds = 0): Promise<UserSession | undefined> {
    const found = await this.#findWhere('s.secret_hash = $1', secretHash);
    if (found === undefined) return undefined;
    const { session, unseenSeconds } = found;
    if (unseenSeconds - idleForSeconds > touchSeconds) {
      await this.#tx.query({
        text: `update user_sessions set last_seen_at = greatest(last_seen_at, ${this.#now} - make_interval(secs => $2))
          where id = $1`,
        values: [session.id, idleForSeconds],
      });
    }
    return session;
  }

  /** Finds a session by its id, for a request without a cookie. This does not keep the session alive. */
  async findById(id: string): Promise<UserSession | undefined> {
    return (await this.#findWhere('s.id = $1', id))?.session;
  }

  async #findWhere(
    condition: string,
    value: Buffer | string,
  ): Promise<{ readonly session: UserSession; readonly unseenSeconds: number } | undefined> {
    const [row] = await this.#tx.query<{
      id: string;
      userId: string;
      email: string | null;
      name: string | null;
      signedInAt: Date;
      isFresh: boolean;
      provenSince: Date | null;
      hasWeakPassword: boolean;
      isByProvider: boolean;
      unseenSeconds: number;
    }>({
      text: `select s.id, s.user_id as "userId", u.email, s.proven_since as "provenSince",
          nullif(concat_ws(' ', u.first_name, u.last_name), '') as name, s.created_at as "signedInAt",
          s.is_authenticated and s.created_at > ${this.#now} - make_interval(secs => $2) as "isFresh",
          s.has_weak_password as "hasWeakPassword", s.is_by_provider as "isByProvider",
          extract(epoch from ${this.#now} - s.last_seen_at)::float8 as "unseenSeconds"
        from user_sessions s join users u on u.id = s.user_id
        where ${condition} and s.created_at > ${this.#now} - make_interval(secs => $3)
          and s.last_seen_at > ${this.#now} - make_interval(secs => $4)`,
      values: [value, freshSeconds, lifetimeSeconds, idleSeconds],
    });
    if (row === undefined) return undefined;
    const memberships = await new UserStore(this.#tx).listMemberships(row.userId);
    const { userId, email, name, unseenSeconds, ...rest } = row;
    const freshUntil = new Date(row.signedInAt.getTime() + freshSeconds * 1_000);
    return { session: { ...rest, user: { id: userId, email, name }, memberships, freshUntil }, unseenSeconds };
  }

  /** Returns false if the session was ended. */
  async isStored(id: string): Promise<boolean> {
    const rows = await this.#tx.query({ text: 'select from user_sessions where id = $1', values: [id] });
    return rows.length > 0;
  }

  async delete(id: string): Promise<void> {
    await this.#tx.query({ text: 'delete from user_sessions where id = $1', values: [id] });
  }

  /** Deletes all sessions of a user except one, so that anyone else who knew the old password is signed out. */
  async deleteOthers(userId: string, id: string): Promise<void> {
    await this.#tx.query({ text: 'delete from user_sessions where user_id = $1 and id <> $2', values: [userId, id] });
  }

  /** Deletes all sessions of a user that began with a link. */
  async deleteUnproven(userId: string): Promise<void> {
    await this.#tx.query({
      text: 'delete from user_sessions where user_id = $1 and proven_since is null',
      values: [userId],
    });
  }

  async deleteAll(userId: string): Promise<void> {
    await this.#tx.query({ text: 'delete from user_sessions where user_id = $1', values: [userId] });
  }

  async sweep(): Promise<void> {
    await this.#tx.query({
      text: `delete from user_sessions where created_at < ${this.#now} - make_interval(secs => $1)`,
      values: [lifetimeSeconds],
    });
  }
}
