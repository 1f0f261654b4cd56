import type { EmailAddress } from '../../../core/identity/email-address.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import type { KnownPasskey, Membership, SignInWays, User } from './user.ts';

/** This is more tenants than any user belongs to. A sign-in is recorded in each of them. */
const membershipsMax = 100;

/** Stores users across tenants. It works only inside `forPortal`. */
export class UserStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  async find(id: string): Promise<User | undefined> {
    const [row] = await this.#tx.query<User>({ text: 'select id, email from users where id = $1', values: [id] });
    return row;
  }

  async findByEmail(email: EmailAddress): Promise<User | undefined> {
    const [row] = await this.#tx.query<User>({
      text: 'select id, email from users where lower(email) = lower($1)',
      values: [email],
    });
    return row;
  }

  listMemberships(userId: string): Promise<Membership[]> {
    return this.#tx.query<Membership>({
      text: `select m.tenant_id as "tenantId", t.name as "tenantName", m.id as "memberId", m.role,
          t.requires_sign_in_way as "requiresWay", t.requires_provider as "requiresProvider", t.deleted_at as "deletedAt"
        from members m join tenants t on t.id = m.tenant_id
        where m.user_id = $1 order by t.name, t.id limit $2`,
      values: [userId, membershipsMax],
    });
  }

  /** Replaces the name of a user. Undefined removes it. */
  async rename(userId: string, name: string | undefined): Promise<void> {
    await this.#tx.query({
      text: 'update users set first_name = $2, last_name = null where id = $1',
      values: [userId, name ?? null],
    });
  }

  /** Returns whether this account is in use because it has a membership or a sign-in method. */
  async isTaken(userId: string): Promise<boolean> {
    const [row] = await this.#tx.query<{ taken: boolean }>({
      text: `select exists (select from members where user_id = $1)
          or exists (select from user_passwords where user_id = $1)
          or exists (select from user_passkeys where user_id = $1)
          or exists (select from user_identities where user_id = $1) as taken`,
      values: [userId],
    });
    return row?.taken ?? false;
  }

  /** Locks a user until the transaction ends. */
  async lock(userId: string): Promise<void> {
    // A session that is being started refers to the user and holds a lock on its sign-in method. It must not wait for
    // this lock.
    await this.#tx.query({ text: 'select from users where id = $1 for no key update', values: [userId] });
  }

  /** Deletes all sign-in methods of a user, who can then sign in only with a link. */
  async deleteWays(userId: string): Promise<void> {
    for (const table of ['user_passkeys', 'user_passwords', 'user_recovery_codes', 'user_identities']) {
      await this.#tx.query({ text: `delete from ${table} where user_id = $1`, values: [userId] });
    }
  }

  /** Returns how a user can sign in, apart from a link. */
  async listWays(userId: string): Promise<SignInWays> {
    const [row] = await this.#tx.query<Omit<SignInWays, 'passkeys'>>({
      text: `select p.user_id is not null as "hasPassword",
          (select count(*)::integer from user_recovery_codes c where c.user_id = $1 and c.created_at >= p.created_at)
            as "recoveryCodes",
          array(select issuer from user_identities where user_id = $1 order by issuer) as issuers
        from (values ($1::uuid)) as asked (id) left join user_passwords p on p.user_id = asked.id`,
      values: [userId],
    });
    const passkeys = await this.#tx.query<Omit<KnownPasskey, 'id'> & { readonly id: Buffer }>({
      text: `select id, name, created_at as "createdAt", last_used_at as "lastUsedAt" from user_passkeys
        where user_id = $1 order by created_at, id`,
      values: [userId],
    });
    return {
      ...(row ?? { hasPassword: false, recoveryCodes: 0, issuers: [] }),
      passkeys: passkeys.map((passkey) => ({ ...passkey, id: passkey.id.toString('base64url') })),
    };
  }
}
