import type { AccessRule } from '../../../core/access/access-rule.ts';
import type { GrantLimit } from '../../../core/access/grant-limit.ts';
import type { ApplicationType, Permission } from '../../../core/access/permission.ts';
import type { SessionOrigin } from '../../../core/identity/caller.ts';
import type { ApplicationId, ApplicationKeyId, TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../../platform/database/database.ts';

/** A key with its application, for looking up an unknown caller. */
export interface Credential {
  readonly keyId: ApplicationKeyId;
  readonly secretHash: Buffer;
  readonly tenantId: TenantId;
  readonly applicationId: ApplicationId;
  readonly applicationType: ApplicationType;
  readonly permissions: readonly Permission[];
  readonly rules: readonly AccessRule[];
  readonly expiresAt: Date | null;
  readonly allowedDestinations: readonly string[] | null;
  readonly allowedOrigins: readonly string[] | null;
  readonly grantLimit: GrantLimit | null;
  readonly isTenantDeleted: boolean;
  /** True if the key, or the rights of its new application, are waiting for approval. */
  readonly awaitsApproval: boolean;
}

/** A session key with its own permissions and those of the application that authorized it, if any. */
export interface SessionCredential extends Credential {
  readonly origin: SessionOrigin | null;
  readonly authorizer: {
    readonly id: ApplicationId;
    readonly permissions: readonly Permission[];
    readonly rules: readonly AccessRule[];
    readonly allowedDestinations: readonly string[] | null;
  } | null;
}

/** The pages that may use a key of a public application, and the applications that this depends on. */
export interface KeyOrigins {
  readonly tenantId: TenantId;
  readonly applicationIds: readonly ApplicationId[];
  readonly allowedOrigins: readonly string[] | null;
  readonly expiresAt: Date | null;
}

/** Looks up keys before their tenant is known, so it works only inside `forSystem`. */
export class CredentialStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  async find(keyId: ApplicationKeyId): Promise<Credential | undefined> {
    const [row] = await this.#tx.query<Credential>({
      name: 'credential-find',
      text: `select k.id as "keyId", coalesce(k.pending_hash, k.secret_hash) as "secretHash",
          k.pending_hash is not null or a.awaits_approval as "awaitsApproval", a.tenant_id as "tenantId", a.id as "applicationId",
          a.type as "applicationType", a.permissions, a.rules, a.expires_at as "expiresAt",
          a.allowed_destinations as "allowedDestinations", a.allowed_origins as "allowedOrigins",
          a.grant_limit as "grantLimit", t.deleted_at is not null as "isTenantDeleted"
        from application_keys k join applications a on a.tenant_id = k.tenant_id and a.id = k.application_id
        join tenants t on t.id = k.tenant_id
        where k.id = $1`,
      values: [keyId],
    });
    return row;
  }

  /** Finds a session. It ends as soon as the session itself, its application or its authorizer expires. */
  async findSession(keyId: ApplicationKeyId): Promise<SessionCredential | undefined> {
    const [row] = await this.#tx.query<SessionCredential>({
      name: 'credential-find-session',
      text: `select s.id as "keyId", a.awaits_approval as "awaitsApproval", s.secret_hash as "secretHash", s.tenant_id as "tenantId", a.id as "applicationId",
          a.type as "applicationType", s.permissions, s.rules, least(s.expires_at, a.expires_at, z.expires_at) as "expiresAt",
          a.allowed_destinations as "allowedDestinations", a.allowed_origins as "allowedOrigins",
          a.grant_limit as "grantLimit", s.origin, t.deleted_at is not null as "isTenantDeleted",
          case when z.id is not null then json_build_object('id', z.id, 'permissions', z.permissions, 'rules', z.rules,
            'allowedDestinations', z.allowed_destinations) end as authorizer
        from sessions s
        join applications a on a.tenant_id = s.tenant_id and a.id = s.application_id
        join tenants t on t.id = s.tenant_id
        left join applications z on z.tenant_id = s.tenant_id and z.id = s.authorized_by
        where s.id = $1`,
      values: [keyId],
    });
    return row;
  }

  /**
   * Finds the origins of a key or a session, whichever the id belongs to, unless its tenant is deleted. This takes a
   * single statement because anybody can send ids that do not exist.
   */
  async findOrigins(keyId: ApplicationKeyId): Promise<KeyOrigins | undefined> {
    const [row] = await this.#tx.query<KeyOrigins>({
      name: 'credential-find-origins',
      text: `select a.tenant_id as "tenantId", array[a.id] as "applicationIds", a.allowed_origins as "allowedOrigins",
          a.expires_at as "expiresAt"
        from application_keys k join applications a on a.tenant_id = k.tenant_id and a.id = k.application_id
        join tenants t on t.id = k.tenant_id and t.deleted_at is null
        where k.id = $1 and a.type = 'public'
        union all
        select a.tenant_id, array_remove(array[a.id, z.id], null), a.allowed_origins,
          least(s.expires_at, a.expires_at, z.expires_at)
        from sessions s
        join applications a on a.tenant_id = s.tenant_id and a.id = s.application_id
        join tenants t on t.id = s.tenant_id and t.deleted_at is null
        left join applications z on z.tenant_id = s.tenant_id and z.id = s.authorized_by
        where s.id = $1 and a.type = 'public'`,
      values: [keyId],
    });
    return row;
  }

  /**
   * Returns the age in seconds of the oldest key of any application that has not expired, by the clock of the database.
   * Returns null if there is none.
   */
  async findOldestAge(): Promise<number | null> {
    const [row] = await this.#tx.query<{ seconds: number | null }>({
      text: `select extract(epoch from now() - min(k.created_at))::float8 as seconds from application_keys k
        join applications a on a.tenant_id = k.tenant_id and a.id = k.application_id
        where a.expires_at is null or a.expires_at > now()`,
    });
    return row?.seconds ?? null;
  }

  async touch(keyIds: readonly ApplicationKeyId[]): Promise<void> {
    await this.#tx.query({
      text: 'update application_keys set last_used_at = now() where id = any($1)',
      values: [keyIds],
    });
  }
}
