import type { Transaction } from '../../../platform/database/database.ts';
import type { Passkey } from '../../../platform/keyring/sign-in/passkeys.ts';
import type { ProvenUser } from '../people/user.ts';

/** Stores passkeys of users. It works only inside `forPortal`. */
export class PasskeyStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  async listIds(userId: string): Promise<Buffer[]> {
    const rows = await this.#tx.query<{ id: Buffer }>({
      text: 'select id from user_passkeys where user_id = $1',
      values: [userId],
    });
    return rows.map(({ id }) => id);
  }

  async find(id: Buffer): Promise<(Passkey & ProvenUser) | undefined> {
    const [row] = await this.#tx.query<Passkey & ProvenUser>({
      text: `select user_id as "userId", id, public_key as "publicKey", sign_count::float8 as "signCount", transports,
          created_at as "provenSince"
        from user_passkeys where id = $1`,
      values: [id],
    });
    return row;
  }

  /** Returns false if the passkey is already registered, for this user or another. */
  async insert(
    userId: string,
    { id, publicKey, signCount, transports }: Passkey,
    name: string | undefined,
  ): Promise<boolean> {
    const rows = await this.#tx.query({
      text: `insert into user_passkeys (user_id, id, public_key, sign_count, transports, name)
        values ($1, $2, $3, $4, $5, $6)
        on conflict do nothing returning 1`,
      values: [userId, id, publicKey, signCount, transports, name ?? null],
    });
    return rows.length > 0;
  }

  /**
   * Updates the use of a passkey, and locks it until the transaction ends. Returns false if it has been removed in the
   * meantime.
   */
  async noteUse(id: Buffer, signCount: number): Promise<boolean> {
    const rows = await this.#tx.query({
      text: 'update user_passkeys set sign_count = $2, last_used_at = now() where id = $1 returning 1',
      values: [id, signCount],
    });
    return rows.length > 0;
  }

  async delete(userId: string, id: string): Promise<void> {
    await this.#tx.query({
      text: 'delete from user_passkeys where user_id = $1 and id = $2',
      values: [userId, Buffer.from(id, 'base64url')],
    });
  }
}
