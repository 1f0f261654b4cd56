import type { TenantId } from '../../core/identity/ids.ts';
import type { PageRequest } from '../../http/parameters/pagination.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { Member, Role } from './member.ts';

const columns = `members.id, members.tenant_id as "tenantId", members.role, users.id as "userId", users.email,
  users.first_name as "firstName", users.last_name as "lastName", users.picture,
  users.last_signed_in_at as "lastSignedInAt", sign_in_ways(users.id) as "signInWays",
  members.created_by as "createdBy", members.created_at as "createdAt",
  members.modified_by as "modifiedBy", members.modified_at as "modifiedAt"`;
const joined = 'members join users on users.id = members.user_id';

export interface JoinedUser {
  readonly id: string;
  /** True if nobody uses this account yet: it has no memberships and no sign-in method. */
  readonly isFree: boolean;
}

export class MemberStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
  }

  /**
   * Returns the user with this address, and creates it if there is none. Without an address, always creates a new user.
   */
  async joinUser(email: string | null): Promise<JoinedUser> {
    const id = crypto.randomUUID();
    if (email === null) {
      await this.#tx.query({ text: 'insert into users (id) values ($1)', values: [id] });
      return { id, isFree: true };
    }
    const [row] = await this.#tx.query<JoinedUser>({
      text: 'select id, is_free as "isFree" from join_user($1, $2)',
      values: [email, id],
    });
    if (row === undefined) throw new Error('A user was neither found nor created.');
    return row;
  }

  /**
   * Returns the user with this identity at an OpenID provider, and creates it if nobody uses the address. Undefined if
   * another user has the address.
   */
  async joinByProvider(issuer: string, subject: string, email: string): Promise<string | undefined> {
    const [row] = await this.#tx.query<{ id: string | null }>({
      text: 'select join_by_provider($1, $2, $3, $4) as id',
      values: [issuer, subject, email, crypto.randomUUID()],
    });
    return row?.id ?? undefined;
  }

  /** Returns true if the user was a member of the tenant once. */
  async wasRemoved(userId: string): Promise<boolean> {
    const rows = await this.#tx.query({
      text: 'select from former_members where tenant_id = $1 and user_id = $2',
      values: [this.#tenantId, userId],
    });
    return rows.length > 0;
  }

  async insert(member: { userId: string; role: Role; createdBy: string | null }): Promise<string> {
    const id = crypto.randomUUID();
    await this.#tx.query({
      text: 'insert into members (tenant_id, id, user_id, role, created_by) values ($1, $2, $3, $4, $5)',
      values: [this.#tenantId, id, member.userId, member.role, member.createdBy],
    });
    return id;
  }

  async find(id: string): Promise<Member | undefined> {
    const [row] = await this.#tx.query<Member>({
      text: `select ${columns} from ${joined} where members.tenant_id = $1 and members.id = $2`,
      values: [this.#tenantId, id],
    });
    return row;
  }

  /** Returns the number of members who administer the tenant. */
  async countAdministrators(): Promise<number> {
    const [row] = await this.#tx.query<{ total: number }>({
      text: `select count(*)::integer as total from members where tenant_id = $1 and role in ('OWNER', 'ADMIN')`,
      values: [this.#tenantId],
    });
    return row?.total ?? 0;
  }

  /** Locks the row until this transaction ends, and returns its role and user. */
  async lock(id: string): Promise<{ readonly role: Role; readonly userId: string } | undefined> {
    const [row] = await this.#tx.query<{ role: Role; userId: string }>({
      text: 'select role, user_id as "userId" from members where tenant_id = $1 and id = $2 for update',
      values: [this.#tenantId, id],
    });
    return row;
  }

  /**
   * Returns the role of a user, or undefined if they are not a member. The row is locked until the commit, so that a
   * later transaction that removes the role sees what was done with it.
   */
  async findRole(userId: string): Promise<Role | undefined> {
    const [row] = await this.#tx.query<{ role: Role }>({
      text: 'select role from members where tenant_id = $1 and user_id = $2 for key share',
      values: [this.#tenantId, userId],
    });
    return row?.role;
  }

  async findOwner(): Promise<Member | undefined> {
    const [row] = await this.#tx.query<Member>({
      text: `select ${columns} from ${joined} where members.tenant_id = $1 and members.role = 'OWNER'`,
      values: [this.#tenantId],
    });
    return row;
  }

  async hasEmail(email: string): Promise<boolean> {
    const rows = await this.#tx.query({
      text: `select from ${joined} where members.tenant_id = $1 and lower(users.email) = lower($2)`,
      values: [this.#tenantId, email],
    });
    return rows.length > 0;
  }

  /** Lists members, newest first. A tenant has hundreds of them at most, so counting them is cheap. */
  async list(
    userIds: readonly string[] | undefined,
    { page, size }: PageRequest,
  ): Promise<{ totalItems: number; items: Member[] }> {
    const chosen = 'members.tenant_id = $1 and ($2::uuid[] is null or members.user_id = any($2))';
    const items = await this.#tx.query<Member>({
      text: `select ${columns} from ${joined} where ${chosen}
        order by members.created_at desc, members.id desc limit $3 offset $4`,
      values: [this.#tenantId, userIds ?? null, size, (page - 1) * size],
    });
    const [count] = await this.#tx.query<{ total: number }>({
      text: `select count(*)::integer as total from members where ${chosen}`,
      values: [this.#tenantId, userIds ?? null],
    });
    return { totalItems: count?.total ?? 0, items };
  }

  /** Lists all members, ordered by id and starting after the given one. */
  listRoles({
    after,
    limit,
  }: {
    readonly after: string | undefined;
    readonly limit: number;
  }): Promise<Pick<Member, 'id' | 'userId' | 'role'>[]> {
    return this.#tx.query({
      text: `select id, user_id as "userId", role from members where tenant_id = $1 and ($2::uuid is null or id > $2)
        order by id limit $3`,
      values: [this.#tenantId, after ?? null, limit],
    });
  }

  async updateRole(id: string, role: Role, modifiedBy: string | null): Promise<void> {
    await this.#tx.query({
      text: 'update members set role = $3, modified_by = $4, modified_at = now() where tenant_id = $1 and id = $2',
      values: [this.#tenantId, id, role, modifiedBy],
    });
  }

  /** Deletes a member. A trigger also signs the user out. */
  async delete(id: string): Promise<void> {
    await this.#tx.query({
      text: 'delete from members where tenant_id = $1 and id = $2',
      values: [this.#tenantId, id],
    });
  }
}
