import type { AccessRule } from '../../core/access/access-rule.ts';
import type { Permission } from '../../core/access/permission.ts';
import type { ApplicationId, ApplicationKeyId, TenantId } from '../../core/identity/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';

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
    readonly lifetimeSeconds: number;
  }): Promise<Date> {
    const [row] = await this.#tx.query<{ expires_at: Date }>({
      text: `insert into sessions (tenant_id, id, application_id, secret_hash, nonce_hash, expires_at)
        values ($1, $2, $3, $4, $5, now() + make_interval(secs => $6)) returning expires_at`,
      values: [
        this.#tenantId,
        session.id,
        session.applicationId,
        session.secretHash,
        session.nonceHash,
        session.lifetimeSeconds,
      ],
    });
    if (row === undefined) throw new Error('An insert returned no row.');
    return row.expires_at;
  }

  /** Of any number of callers with the same nonce, exactly one gets the id; the others get nothing. */
  async authorize(
    nonceHash: Buffer,
    grant: {
      readonly permissions: readonly Permission[];
      readonly rules: readonly AccessRule[];
      readonly authorizedBy: ApplicationId;
      /** The session ends with this key. */
      readonly authorizedKey: ApplicationKeyId;
      readonly expiresAt: Date | undefined;
    },
  ): Promise<string | undefined> {
    const [row] = await this.#tx.query<{ id: string }>({
      // A key that is being revoked at this moment authorizes nothing.
      text: `with authorizing as (
          select k.id from application_keys k where k.tenant_id = $1 and k.id = $7 for key share)
        update sessions set permissions = $3, rules = $4, authorized_by = $5, authorized_key = authorizing.id,
          authorized_at = now(), expires_at = coalesce($6, expires_at)
        from authorizing
        where tenant_id = $1 and nonce_hash = $2 and authorized_at is null and expires_at > now() returning sessions.id`,
      values: [
        this.#tenantId,
        nonceHash,
        grant.permissions,
        JSON.stringify(grant.rules),
        grant.authorizedBy,
        grant.expiresAt ?? null,
        grant.authorizedKey,
      ],
    });
    return row?.id;
  }

  /** Whether an active session has already used this nonce. */
  async isUsed(nonceHash: Buffer): Promise<boolean> {
    const rows = await this.#tx.query({
      text: `select 1 from sessions where tenant_id = $1 and nonce_hash = $2 and authorized_at is not null and expires_at > now()`,
      values: [this.#tenantId, nonceHash],
    });
    return rows.length > 0;
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
