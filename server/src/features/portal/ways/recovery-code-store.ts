import type { Transaction } from '../../../platform/database/database.ts';

/** Recovery codes of users, inside `forPortal` only. */
export class RecoveryCodeStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  /** All earlier ones are worth nothing from then on. */
  async replace(userId: string, hashes: readonly Buffer[]): Promise<void> {
    await this.#tx.query({ text: 'delete from user_recovery_codes where user_id = $1', values: [userId] });
    await this.#tx.query({
      text: 'insert into user_recovery_codes (user_id, code_hash) select $1, unnest($2::bytea[])',
      values: [userId, hashes],
    });
  }

  /** When the code was made. Of any number of callers with the same code, exactly one gets it. */
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
