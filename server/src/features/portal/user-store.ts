import type { EmailAddress } from '../../core/identity/email-address.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { Membership, SignInWays, User } from './user.ts';

/** More tenants than any user has; each gets a record of a sign-in. */
const membershipsMax = 100;

/** Users across tenants, so it works inside `forPortal` only. */
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
      text: `select m.tenant_id as "tenantId", t.name as "tenantName", m.id as "memberId", m.role
        from members m join tenants t on t.id = m.tenant_id
        where m.user_id = $1 order by t.name, t.id limit $2`,
      values: [userId, membershipsMax],
    });
  }

  /** Whether this account is in use: it has a membership or a sign-in method. */
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

  /** How a user can sign in, apart from a link. */
  async listWays(userId: string): Promise<SignInWays> {
    const [row] = await this.#tx.query<SignInWays>({
      text: `select exists (select from user_passwords where user_id = $1) as "hasPassword",
        (select count(*)::integer from user_passkeys where user_id = $1) as passkeys,
        array(select issuer from user_identities where user_id = $1 order by issuer) as issuers`,
      values: [userId],
    });
    return row ?? { hasPassword: false, passkeys: 0, issuers: [] };
  }
}
