import type { Transaction } from '../../../platform/database/database.ts';
import type { DatabaseClock } from '../../../platform/database/database-clock.ts';

/** Stores one-time links into the portal, across tenants. It works only inside `forPortal`. */
export class SignInLinkStore {
  readonly #tx: Transaction;
  readonly #now: string;

  constructor(tx: Transaction, clock: DatabaseClock) {
    this.#tx = tx;
    this.#now = `(now() + make_interval(secs => ${clock.aheadSeconds}))`;
  }

  /** Replaces the user's earlier links. */
  async replace(userId: string, linkHash: Buffer, lifetimeSeconds: number): Promise<void> {
    await this.#tx.query({ text: 'delete from user_links where user_id = $1', values: [userId] });
    await this.#tx.query({
      text: `insert into user_links (link_hash, user_id, expires_at) values ($1, $2, ${this.#now} + make_interval(secs => $3))`,
      values: [linkHash, userId, lifetimeSeconds],
    });
  }

  async find(linkHash: Buffer): Promise<string | undefined> {
    const [row] = await this.#tx.query<{ user_id: string }>({
      text: `select user_id from user_links where link_hash = $1 and expires_at > ${this.#now}`,
      values: [linkHash],
    });
    return row?.user_id;
  }

  /** Uses up a link and returns its user. Only one of several callers with the same link succeeds. */
  async take(linkHash: Buffer): Promise<string | undefined> {
    const [row] = await this.#tx.query<{ user_id: string }>({
      text: `delete from user_links where link_hash = $1 and expires_at > ${this.#now} returning user_id`,
      values: [linkHash],
    });
    return row?.user_id;
  }

  async sweep(): Promise<void> {
    await this.#tx.query({ text: `delete from user_links where expires_at < ${this.#now}` });
  }
}
