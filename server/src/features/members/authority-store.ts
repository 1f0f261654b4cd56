import type { Rights } from '../../core/rights-change/rights-difference.ts';
import type { ApplicationId, ApplicationKeyId, TenantId } from '../../core/identity/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';

/** The authority of an application and of one of its keys, with the current owner of the tenant. */
export interface StoredAuthority {
  readonly applicationAs: string | null;
  readonly applicationBy: string | null;
  readonly keyAs: string | null;
  readonly keyBy: string | null;
  readonly ownerId: string | null;
}

/** A revoked key, and the rights that it gave. */
export interface EndedKey extends Rights {
  readonly keyId: ApplicationKeyId;
  readonly applicationId: ApplicationId;
}

export class AuthorityStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
  }

  /**
   * Returns undefined if the key has just been revoked. Otherwise the key cannot be revoked before this transaction
   * ends.
   */
  async findOfKey(keyId: ApplicationKeyId): Promise<StoredAuthority | undefined> {
    const [row] = await this.#tx.query<StoredAuthority>({
      text: `select a.granted_as as "applicationAs", a.granted_by as "applicationBy", k.granted_as as "keyAs",
          k.granted_by as "keyBy", o.user_id as "ownerId"
        from application_keys k
        join applications a on a.tenant_id = k.tenant_id and a.id = k.application_id
        left join members o on o.tenant_id = k.tenant_id and o.role = 'OWNER'
        where k.tenant_id = $1 and k.id = $2 for key share of k`,
      values: [this.#tenantId, keyId],
    });
    return row;
  }

  async findGranterOf(applicationId: ApplicationId): Promise<string | null> {
    const [row] = await this.#tx.query<{ grantedBy: string | null }>({
      text: 'select granted_by as "grantedBy" from applications where tenant_id = $1 and id = $2',
      values: [this.#tenantId, applicationId],
    });
    return row?.grantedBy ?? null;
  }

  /** Revokes the management keys that exist on the authority of a member, and returns them. */
  endKeysOf(userId: string): Promise<EndedKey[]> {
    return this.#tx.query({
      text: `delete from application_keys k using applications a
        where k.tenant_id = $1 and k.granted_by = $2 and a.tenant_id = k.tenant_id and a.id = k.application_id
          and a.type = 'management'
        returning k.id as "keyId", a.id as "applicationId", a.type, a.permissions, a.rules, a.grant_limit as "grantLimit",
          a.allowed_destinations as "allowedDestinations", a.allowed_origins as "allowedOrigins", a.expires_at as "expiresAt"`,
      values: [this.#tenantId, userId],
    });
  }
}
