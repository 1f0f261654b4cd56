import type { Transaction } from '../../../platform/database/database.ts';
import { idleSeconds, lifetimeSeconds } from './user-session-store.ts';

/** A session of a user, as the user sees it. */
export interface OwnSession {
  readonly id: string;
  /** Null for a session that an earlier version started. */
  readonly sourceAddress: string | null;
  readonly browser: string | null;
  readonly startedAt: Date;
  readonly lastSeenAt: Date;
  /** True if the session began with a link. */
  readonly isByLink: boolean;
}

/** Lists and ends the sessions of one user. It works only inside `forPortal`. */
export class OwnSessionStore {
  readonly #tx: Transaction;
  readonly #userId: string;

  constructor(tx: Transaction, userId: string) {
    this.#tx = tx;
    this.#userId = userId;
  }

  /** Lists the sessions that still work, the most recently used first. A user has a limited number of them. */
  list(): Promise<OwnSession[]> {
    return this.#tx.query<OwnSession>({
      text: `select id, source_address as "sourceAddress", browser, created_at as "startedAt",
          last_seen_at as "lastSeenAt", proven_since is null as "isByLink"
        from user_sessions where user_id = $1 and created_at > now() - make_interval(secs => $2)
          and last_seen_at > now() - make_interval(secs => $3)
        order by last_seen_at desc, id`,
      values: [this.#userId, lifetimeSeconds, idleSeconds],
    });
  }

  /** Ends one session, or all of them. Returns the ids of those that were still stored. */
  async end(id?: string): Promise<string[]> {
    const rows = await this.#tx.query<{ id: string }>({
      text: 'delete from user_sessions where user_id = $1 and ($2::uuid is null or id = $2) returning id',
      values: [this.#userId, id ?? null],
    });
    return rows.map((row) => row.id);
  }

  /** Makes sign-in links useless that have not been used. */
  async endLinks(): Promise<void> {
    await this.#tx.query({ text: 'delete from user_links where user_id = $1', values: [this.#userId] });
  }
}
