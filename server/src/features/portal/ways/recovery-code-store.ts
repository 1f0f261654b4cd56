import type { Transaction } from '../../../platform/database/database.ts';

/** Stores recovery codes of users. It works only inside `forPortal`. */
export class RecoveryCodeStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  /** Replaces all earlier codes, which then no longer work. */
  async replace(userId: string, hashes: readonly Buffer[]): Promise<void> {
    await this.#tx.query({ text: 'delete from user_recovery_codes where user_id = $1', values: [userId] });
    await this.#tx.query({
      text: 'insert into user_recovery_codes (user_id, code_hash) select $1, unnest($2::bytea[])',
      values: [userId, hashes],
    });
  }

  /** Uses up a code and returns when it was created. Only one of several callers with the same code succeeds. */
  async take(userId: string, hash: Buffer): Promise<Date | undefined> {
    const [row] = await this.#tx.query<{ createdAt: Date }>({
      text: `delete from user_recovery_codes c using user_passwords p
        where c.user_id = $1 and c.code_hash = $2 and p.user_id = c.user_id and c.created_at >= p.created_at
        returning c.created_at as "createdAt"`,
      values: [userId, hash],
    });
    return row?.createdAt;
  }
}
