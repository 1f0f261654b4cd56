import type { Transaction } from '../../../platform/database/database.ts';
import type { ProvenUser } from '../people/user.ts';

/** Stores the identities of users at OpenID providers. It works only inside `forPortal`. */
export class IdentityStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  async find(issuer: string, subject: string): Promise<ProvenUser | undefined> {
    const [row] = await this.#tx.query<ProvenUser>({
      text: `select user_id as "userId", created_at as "provenSince" from user_identities
        where issuer = $1 and subject = $2`,
      values: [issuer, subject],
    });
    return row;
  }

  /** Returns whether the subject still belongs to this user, and locks it until the transaction ends. */
  async hold(userId: string, issuer: string, subject: string): Promise<boolean> {
    const rows = await this.#tx.query({
      text: 'select from user_identities where user_id = $1 and issuer = $2 and subject = $3 for share',
      values: [userId, issuer, subject],
    });
    return rows.length > 0;
  }

  async delete(userId: string, issuer: string): Promise<void> {
    await this.#tx.query({
      text: 'delete from user_identities where user_id = $1 and issuer = $2',
      values: [userId, issuer],
    });
  }

  /** Returns false if this subject already belongs to a user, or if this user has another subject. */
  async insert(userId: string, issuer: string, subject: string): Promise<boolean> {
    const rows = await this.#tx.query({
      text: `insert into user_identities (user_id, issuer, subject) values ($1, $2, $3) on conflict do nothing returning 1`,
      values: [userId, issuer, subject],
    });
    return rows.length > 0;
  }
}
