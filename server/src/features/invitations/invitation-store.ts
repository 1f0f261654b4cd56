import type { EmailAddress } from '../../core/identity/email-address.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { PageRequest } from '../../http/parameters/pagination.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { DatabaseClock } from '../../platform/database/database-clock.ts';
import {
  type Invitation,
  type InvitationDetails,
  type InvitationStatus,
  type InvitedRole,
  lifetimeSeconds,
} from './invitation.ts';

/** A link as stored: a hash for looking it up, and the encrypted link for delivery. */
export interface StoredLink {
  readonly hash: Buffer;
  readonly sealed: Buffer;
}

/**
 * A placeholder for the link of an invitation that awaits approval. Nobody has the link with this hash, and no link is
 * stored that could be decrypted.
 */
export interface NoLink {
  readonly hash: Buffer;
  readonly sealed: null;
}

export class InvitationStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;
  /** The SQL expression for the current time. */
  readonly #now: string;
  readonly #columns: string;

  constructor(tx: Transaction, tenantId: TenantId, clock: DatabaseClock) {
    this.#tx = tx;
    this.#tenantId = tenantId;
    this.#now = `(now() + make_interval(secs => ${clock.aheadSeconds}))`;
    this.#columns = `i.id, i.tenant_id as "tenantId", i.email, i.role, i.link_number as "linkNumber", i.approved_at as "approvedAt",
      case when i.expires_at > ${this.#now} then 'PENDING' else 'EXPIRED' end as status, i.expires_at as "expiresAt",
      i.created_by as "createdBy", i.created_at as "createdAt", i.modified_by as "modifiedBy", i.modified_at as "modifiedAt",
      i.granted_by as "grantedBy"`;
  }

  /** Stores an invitation. Returns undefined if the address has already been invited. */
  async insert(invitation: {
    readonly id: string;
    readonly email: EmailAddress;
    readonly role: InvitedRole;
    readonly link: StoredLink | NoLink;
    readonly createdBy: string | null;
    readonly grantedBy: string | null;
  }): Promise<Invitation | undefined> {
    const { id, email, role, link, createdBy, grantedBy } = invitation;
    const [row] = await this.#tx.query<Invitation>({
      text: `insert into invitations as i (tenant_id, id, email, role, link_hash, link_sealed, created_by, created_at, expires_at,
          granted_by)
        values ($1, $2, $3, $4, $5, $6, $7, ${this.#now}, ${this.#now} + make_interval(secs => $8), $9)
        on conflict (tenant_id, lower(email)) do nothing returning ${this.#columns}`,
      values: [this.#tenantId, id, email, role, link.hash, link.sealed, createdBy, lifetimeSeconds, grantedBy],
    });
    return row;
  }

  async count(): Promise<number> {
    const [row] = await this.#tx.query<{ total: number }>({
      text: 'select count(*)::integer as total from invitations where tenant_id = $1',
      values: [this.#tenantId],
    });
    return row?.total ?? 0;
  }

  async find(id: string): Promise<Invitation | undefined> {
    const [row] = await this.#tx.query<Invitation>({
      text: `select ${this.#columns} from invitations i where tenant_id = $1 and id = $2`,
      values: [this.#tenantId, id],
    });
    return row;
  }

  /** Works like `find`, and locks the row until this transaction ends. */
  async lock(id: string): Promise<Invitation | undefined> {
    const [row] = await this.#tx.query<Invitation>({
      text: `select ${this.#columns} from invitations i where tenant_id = $1 and id = $2 for update`,
      values: [this.#tenantId, id],
    });
    return row;
  }

  /** Returns the details that the invited person sees, with the link until it has been mailed. */
  findDetails(id: string): Promise<(InvitationDetails & { readonly linkSealed: Buffer | null }) | undefined> {
    return this.#findDetails('i.id = $2', id);
  }

  findDetailsByLink(linkHash: Buffer): Promise<InvitationDetails | undefined> {
    return this.#findDetails('i.link_hash = $2', linkHash);
  }

  async #findDetails(condition: string, value: string | Buffer) {
    const [row] = await this.#tx.query<InvitationDetails & { linkSealed: Buffer | null }>({
      text: `select ${this.#columns}, t.name as "tenantName", t.deleted_at is not null as "isTenantDeleted", coalesce(a.name, u.email) as inviter, i.link_sealed as "linkSealed"
        from invitations i join tenants t on t.id = i.tenant_id
        left join applications a on a.tenant_id = i.tenant_id and a.id = i.created_by
        left join users u on u.id = i.created_by
        where i.tenant_id = $1 and ${condition}`,
      values: [this.#tenantId, value],
    });
    return row;
  }

  /** Lists invitations, newest first. */
  async list(
    status: InvitationStatus | undefined,
    { page, size }: PageRequest,
  ): Promise<{ totalItems: number; items: Invitation[] }> {
    const chosen = `tenant_id = $1 and ($2::text is null or (expires_at > ${this.#now}) = ($2 = 'PENDING'))`;
    const items = await this.#tx.query<Invitation>({
      text: `select ${this.#columns} from invitations i where ${chosen}
        order by created_at desc, id desc limit $3 offset $4`,
      values: [this.#tenantId, status ?? null, size, (page - 1) * size],
    });
    const [count] = await this.#tx.query<{ total: number }>({
      text: `select count(*)::integer as total from invitations where ${chosen}`,
      values: [this.#tenantId, status ?? null],
    });
    return { totalItems: count?.total ?? 0, items };
  }

  /** Lists invitations that can still be accepted, ordered by id and starting after the given one. */
  listOpen({
    after,
    limit,
  }: {
    readonly after: string | undefined;
    readonly limit: number;
  }): Promise<Pick<Invitation, 'id' | 'role' | 'expiresAt'>[]> {
    return this.#tx.query({
      text: `select id, role, expires_at as "expiresAt" from invitations
        where tenant_id = $1 and expires_at > ${this.#now} and ($2::uuid is null or id > $2)
        order by id limit $3`,
      values: [this.#tenantId, after ?? null, limit],
    });
  }

  /** Replaces the link, and extends the expiry. */
  async replaceLink(
    id: string,
    link: StoredLink,
    { modifiedBy, grantedBy }: { readonly modifiedBy: string; readonly grantedBy: string | null },
  ): Promise<Invitation | undefined> {
    const [row] = await this.#tx.query<Invitation>({
      text: `update invitations i set link_hash = $3, link_sealed = $4, link_number = link_number + 1,
          expires_at = greatest(expires_at, ${this.#now}) + make_interval(secs => $5),
          modified_by = $6, modified_at = ${this.#now}, granted_by = $7
        where tenant_id = $1 and id = $2 returning ${this.#columns}`,
      values: [this.#tenantId, id, link.hash, link.sealed, lifetimeSeconds, modifiedBy, grantedBy],
    });
    return row;
  }

  /** Removes the link of an invitation that has yet to be approved. */
  async suspend(id: string, { hash, sealed }: NoLink, modifiedBy: string | null): Promise<void> {
    await this.#tx.query({
      text: `update invitations set link_hash = $3, link_sealed = $4, link_number = link_number + 1,
          expires_at = ${this.#now} + make_interval(secs => $5), modified_by = $6, modified_at = ${this.#now}
        where tenant_id = $1 and id = $2`,
      values: [this.#tenantId, id, hash, sealed, lifetimeSeconds, modifiedBy],
    });
  }

  /** Adds the link of an approved invitation. It is valid from now on. */
  async release(
    id: string,
    link: StoredLink,
    { modifiedBy, grantedBy }: { readonly modifiedBy: string; readonly grantedBy: string | null },
  ): Promise<Invitation> {
    const [row] = await this.#tx.query<Invitation>({
      text: `update invitations i set link_hash = $3, link_sealed = $4, link_number = link_number + 1,
          approved_at = ${this.#now}, expires_at = ${this.#now} + make_interval(secs => $5),
          modified_by = $6, modified_at = ${this.#now}, granted_by = $7
        where tenant_id = $1 and id = $2 returning ${this.#columns}`,
      values: [this.#tenantId, id, link.hash, link.sealed, lifetimeSeconds, modifiedBy, grantedBy],
    });
    if (row === undefined) throw new Error('An invitation was not there although it is locked.');
    return row;
  }

  /** Deletes the encrypted link after its delivery, because nobody needs to read it any more. */
  async forgetLink(id: string, linkNumber: number): Promise<void> {
    await this.#tx.query({
      text: 'update invitations set link_sealed = null where tenant_id = $1 and id = $2 and link_number = $3',
      values: [this.#tenantId, id, linkNumber],
    });
  }

  async delete(id: string): Promise<boolean> {
    const rows = await this.#tx.query({
      text: 'delete from invitations where tenant_id = $1 and id = $2 returning id',
      values: [this.#tenantId, id],
    });
    return rows.length > 0;
  }

  /** Deletes and returns the invitation. Exactly one of any number of callers with the same valid link gets it. */
  async take(linkHash: Buffer): Promise<Invitation | undefined> {
    const [row] = await this.#tx.query<Invitation>({
      text: `delete from invitations i where tenant_id = $1 and link_hash = $2 and expires_at > ${this.#now}
        returning ${this.#columns}`,
      values: [this.#tenantId, linkHash],
    });
    return row;
  }

  /** Queues the mail, which is sent after the commit. It replaces a mail that is still queued. */
  async enqueueMail({ id, linkNumber }: Invitation): Promise<void> {
    await this.#tx.query({
      text: `select enqueue_job('mail-invitation',
        json_build_object('tenant_id', $1::uuid, 'invitation_id', $2::uuid, 'link_number', $3::integer), 'mail-invitation:' || $2, 0)`,
      values: [this.#tenantId, id, linkNumber],
    });
  }
}

/** Deletes up to `limit` expired links of a tenant, and returns how many there were. */
export async function forgetExpiredLinks(tx: Transaction, tenantId: TenantId, limit: number): Promise<number> {
  const rows = await tx.query({
    text: `update invitations set link_sealed = null where tenant_id = $1 and id = any (array(
        select id from invitations where tenant_id = $1 and expires_at <= now() and link_sealed is not null
        limit $2 for update skip locked)) and expires_at <= now() returning 1`,
    values: [tenantId, limit],
  });
  return rows.length;
}
