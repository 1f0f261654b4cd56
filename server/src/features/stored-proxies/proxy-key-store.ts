import type { AccessRule } from '../../core/access/access-rule.ts';
import type { ApplicationType, Permission } from '../../core/access/permission.ts';
import type { ApplicationId, TenantId } from '../../core/identity/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';

/** A proxy as its key identifies it, with the current rights of its application. */
export interface KeyedProxy {
  readonly tenantId: TenantId;
  readonly id: string;
  readonly version: number;
  readonly requireAuth: boolean;
  readonly allowedSources: readonly string[];
  readonly isTenantDeleted: boolean;
  readonly applicationId: ApplicationId | null;
  /** Null if the proxy has no application, or if it is deleted, has expired or awaits approval. */
  readonly application: {
    readonly type: ApplicationType;
    readonly permissions: readonly Permission[];
    readonly rules: readonly AccessRule[];
  } | null;
}

/** Looks up a proxy before its tenant is known, so it works only inside `forSystem`. */
export async function findKeyedProxy(tx: Transaction, keyHash: Buffer): Promise<KeyedProxy | undefined> {
  const [row] = await tx.query<KeyedProxy>({
    name: 'proxy-key-find',
    text: `select p.tenant_id as "tenantId", p.id, p.version, p.require_auth as "requireAuth",
        p.allowed_sources as "allowedSources",
        t.deleted_at is not null as "isTenantDeleted", p.application_id as "applicationId",
        case when a.id is not null
          then json_build_object('type', a.type, 'permissions', a.permissions, 'rules', a.rules) end as application
      from stored_proxies p join tenants t on t.id = p.tenant_id
      left join applications a on a.tenant_id = p.tenant_id and a.id = p.application_id and not a.awaits_approval
        and (a.expires_at is null or a.expires_at > now())
      where p.key_hash = $1`,
    values: [keyHash],
  });
  return row;
}
