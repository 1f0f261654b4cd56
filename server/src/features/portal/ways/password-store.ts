import type { EmailAddress } from '../../../core/identity/email-address.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import type { ProvenUser } from '../people/user.ts';

export interface StoredPassword {
  readonly userId: string;
  readonly salt: Buffer;
  readonly passwordHash: Buffer;
  readonly totpSealed: Buffer;
}

/** Stores passwords of users. It works only inside `forPortal`. */
export class PasswordStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  async find(email: EmailAddress): Promise<(StoredPassword & ProvenUser) | undefined> {
    const [row] = await this.#tx.query<StoredPassword & ProvenUser>({
      text: `select p.user_id as "userId", p.salt, p.password_hash as "passwordHash", p.totp_sealed as "totpSealed",
          p.created_at as "provenSince"
        from user_passwords p join users u on u.id = p.user_id where lower(u.email) = lower($1)`,
      values: [email],
    });
    return row;
  }

  async replace(password: StoredPassword & { readonly totpStep: number }): Promise<void> {
    const { userId, salt, passwordHash, totpSealed, totpStep } = password;
    await this.#tx.query({
      text: `insert into user_passwords (user_id, salt, password_hash, totp_sealed, totp_step) values ($1, $2, $3, $4, $5)
        on conflict (user_id) do update set salt = excluded.salt, password_hash = excluded.password_hash,
          totp_sealed = excluded.totp_sealed, totp_step = excluded.totp_step, created_at = now()`,
      values: [userId, salt, passwordHash, totpSealed, totpStep],
    });
  }

  /**
   * Locks the password until the transaction ends. Returns false if the user has none, or if it was not set at `since`.
   */
  async hold(userId: string, since?: Date): Promise<boolean> {
    const rows = await this.#tx.query({
      text: 'select from user_passwords where user_id = $1 and ($2::timestamptz is null or created_at = $2) for share',
      values: [userId, since ?? null],
    });
    return rows.length > 0;
  }

  /** Returns true if the code of this time step is used for the first time. */
  async takeStep(userId: string, step: number): Promise<boolean> {
    const rows = await this.#tx.query({
      text: 'update user_passwords set totp_step = $2 where user_id = $1 and totp_step < $2 returning 1',
      values: [userId, step],
    });
    return rows.length > 0;
  }
}
