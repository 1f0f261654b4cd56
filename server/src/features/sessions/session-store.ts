import type { AccessRule } from '../../core/access/access-rule.ts';
import type { Permission } from '../../core/access/permission.ts';
import type { SessionOrigin } from '../../core/identity/caller.ts';
import type { ApplicationId, ApplicationKeyId, TenantId } from '../../core/identity/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';

interface NoncedSession {
  readonly isAuthorized: boolean;
  readonly origin: SessionOrigin | null;
}

/** The properties of a session that was ended. */
interface EndedSession {
  readonly applicationId: ApplicationId;
  readonly authorizedBy: ApplicationId | null;
  readonly permissions: readonly Permission[];
  readonly rules: readonly AccessRule[];
  readonly origin: SessionOrigin | null;
  readonly expiresAt: Date;
}

export class SessionStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
  }

  async insert(session: {
    readonly id: ApplicationKeyId;
    readonly applicationId: ApplicationId;
    readonly secretHash: Buffer;
    readonly nonceHash: Buffer;
    readonly origin: SessionOrigin | undefined;
    readonly lifetimeSeconds: number;
  }): Promise<Date> {
    const [row] = await this.#tx.query<{ expires_at: Date }>({
      text: `insert into sessions (tenant_id, id, application_id, secret_hash, nonce_hash, expires_at, origin)
        values ($1, $2, $3, $4, $5, now() + make_interval(secs => $6), $7) returning expires_at`,
      values: [
        this.#tenantId,
        session.id,
        session.applicationId,
        session.secretHash,
        session.nonceHash,
        session.lifetimeSeconds,
        session.origin ?? null,
      ],
    });
    if (row === undefined) throw new Error('An insert returned no row.');
    return row.expires_at;
  }

  /**
   * Authorizes a session. Only one of several callers with the same nonce gets the id, and the others get undefined.
   */
  async authorize(
    nonceHash: Buffer,
    grant: {
      readonly permissions: readonly Permission[];
      readonly rules: readonly AccessRule[];
      readonly authorizedBy: ApplicationId;
      /** The key that authorizes the session. The session ends with it. */
      readonly authorizedKey: ApplicationKeyId;
      readonly expiresAt: Date | undefined;
      /** The origin where the session must have been created. Undefined allows any. */
      readonly origin: SessionOrigin | undefined;
    },
  ): Promise<string | undefined> {
    const [row] = await this.#tx.query<{ id: string }>({
      // A key that is being revoked at this moment authorizes nothing. Its application is locked first, in the same
      // order as by a deletion, so that the two cannot deadlock.
      text: `with held as (
          select a.id from applications a where a.tenant_id = $1 and a.id = $5 for key share),
        authorizing as (
          select k.id from held join application_keys k on k.tenant_id = $1 and k.application_id = held.id and k.id = $7
          for key share of k)
        update sessions set permissions = $3, rules = $4, authorized_by = $5, authorized_key = authorizing.id,
          authorized_at = now(), expires_at = coalesce($6, expires_at)
        from authorizing
        where tenant_id = $1 and nonce_hash = $2 and authorized_at is null and expires_at > now()
          and ($8::text is null or origin = $8) returning sessions.id`,
      values: [
        this.#tenantId,
        nonceHash,
        grant.permissions,
        JSON.stringify(grant.rules),
        grant.authorizedBy,
        grant.expiresAt ?? null,
        grant.authorizedKey,
        grant.origin ?? null,
      ],
    });
    return row?.id;
  }

  /** Returns the active session with this nonce, to explain why it was not authorized. */
  async findByNonce(nonceHash: Buffer): Promise<NoncedSession | undefined> {
    const [row] = await this.#tx.query<NoncedSession>({
      text: `select authorized_at is not null as "isAuthorized", origin
        from sessions where tenant_id = $1 and nonce_hash = $2 and expires_at > now()`,
      values: [this.#tenantId, nonceHash],
    });
    return row;
  }

  /** Deletes a session and returns its properties, or undefined if there is none or it has expired. */
  async delete(id: ApplicationKeyId): Promise<EndedSession | undefined> {
    const [row] = await this.#tx.query<EndedSession>({
      text: `delete from sessions where tenant_id = $1 and id = $2 and expires_at > now()
        returning application_id as "applicationId", authorized_by as "authorizedBy", permissions, rules, origin,
          expires_at as "expiresAt"`,
      values: [this.#tenantId, id],
    });
    return row;
  }
}

export async function deleteExpiredSessions(tx: Transaction, tenantId: TenantId, limit: number): Promise<number> {
  const rows = await tx.query({
    text: `delete from sessions where tenant_id = $1 and id = any (array(
        select id from sessions where tenant_id = $1 and expires_at <= now() limit $2 for update skip locked)) returning 1`,
    values: [tenantId, limit],
  });
  return rows.length;
}
