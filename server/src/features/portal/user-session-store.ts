import type { Transaction } from '../../platform/database/database.ts';
import type { DatabaseClock } from '../../platform/database/database-clock.ts';
import { UserStore } from './user-store.ts';
import type { UserSession } from './user.ts';

const idleSeconds = 30 * 60;
const lifetimeSeconds = 12 * 60 * 60;
const freshSeconds = 15 * 60;
/** A session in use is updated at most once a minute. */
const touchSeconds = 60;
const sessionsMax = 20;

/** Sessions of users. The system role finds and ends them; a tenant scope can also start one. */
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
  }): Promise<void> {
    await this.#tx.query({
      text: `insert into user_sessions (id, user_id, secret_hash, proven_since, is_authenticated, created_at, last_seen_at)
        values ($1, $2, $3, $4, $5, ${this.#now}, ${this.#now})`,
      values: [session.id, session.userId, session.secretHash, session.provenSince, session.isAuthenticated],
    });
  }

  /** The oldest are removed if a user has too many. */
  async trim(userId: string): Promise<void> {
    await this.#tx.query({
      text: `delete from user_sessions where user_id = $1 and id not in
        (select id from user_sessions where user_id = $1 order by created_at desc, id limit $2)`,
      values: [userId, sessionsMax],
    });
  }

  /** A session that is neither too old nor idle for too long; finding it keeps it alive. */
  async find(secretHash: Buffer): Promise<UserSession | undefined> {
    const [row] = await this.#tx.query<{
      id: string;
      userId: string;
      email: string | null;
      name: string | null;
      signedInAt: Date;
      isFresh: boolean;
      provenSince: Date | null;
      isStale: boolean;
    }>({
      text: `select s.id, s.user_id as "userId", u.email, s.proven_since as "provenSince",
          nullif(concat_ws(' ', u.first_name, u.last_name), '') as name, s.created_at as "signedInAt",
          s.is_authenticated and s.created_at > ${this.#now} - make_interval(secs => $2) as "isFresh",
          s.last_seen_at < ${this.#now} - make_interval(secs => $3) as "isStale"
        from user_sessions s join users u on u.id = s.user_id
        where s.secret_hash = $1 and s.created_at > ${this.#now} - make_interval(secs => $4)
          and s.last_seen_at > ${this.#now} - make_interval(secs => $5)`,
      values: [secretHash, freshSeconds, touchSeconds, lifetimeSeconds, idleSeconds],
    });
    if (row === undefined) return undefined;
    if (row.isStale) {
      await this.#tx.query({
        text: `update user_sessions set last_seen_at = ${this.#now} where id = $1`,
        values: [row.id],
      });
    }
    const memberships = await new UserStore(this.#tx).listMemberships(row.userId);
    const { id, userId, email, name, signedInAt, isFresh, provenSince } = row;
    const freshUntil = new Date(signedInAt.getTime() + freshSeconds * 1_000);
    return { id, user: { id: userId, email, name }, memberships, isFresh, signedInAt, freshUntil, provenSince };
  }

  async delete(id: string): Promise<void> {
    await this.#tx.query({ text: 'delete from user_sessions where id = $1', values: [id] });
  }

  /** All sessions of a user but one: anyone else who knew the old password is signed out. */
  async deleteOthers(userId: string, id: string): Promise<void> {
    await this.#tx.query({ text: 'delete from user_sessions where user_id = $1 and id <> $2', values: [userId, id] });
  }

  async sweep(): Promise<void> {
    await this.#tx.query({
      text: `delete from user_sessions where created_at < ${this.#now} - make_interval(secs => $1)`,
      values: [lifetimeSeconds],
    });
  }
}
