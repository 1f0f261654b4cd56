import type { AccessRule } from '../../core/access/access-rule.ts';
import type { Permission } from '../../core/access/permission.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';

interface Rights {
  readonly permissions: readonly Permission[];
  readonly rules: readonly AccessRule[];
}

/** An authorized session that can still be used, with its rights and those of its authorizer. */
export interface LiveSession extends Rights {
  readonly id: string;
  readonly authorizedBy: string;
  readonly expiresAt: Date;
  readonly authorizer: Rights;
}

/**
 * Lists sessions in the order of their ids. A session ends as soon as the session itself, its application or the
 * application that authorized it expires.
 */
export function listLiveSessions(
  tx: Transaction,
  tenantId: TenantId,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<LiveSession[]> {
  return tx.query({
    text: `select s.id, s.authorized_by as "authorizedBy", s.permissions, s.rules,
        least(s.expires_at, a.expires_at, z.expires_at) as "expiresAt",
        json_build_object('permissions', z.permissions, 'rules', z.rules) as authorizer
      from sessions s
      join applications a on a.tenant_id = s.tenant_id and a.id = s.application_id
      join applications z on z.tenant_id = s.tenant_id and z.id = s.authorized_by
      where s.tenant_id = $1 and ($2::uuid is null or s.id > $2)
        and least(s.expires_at, a.expires_at, z.expires_at) > now()
      order by s.id limit $3`,
    values: [tenantId, after ?? null, limit],
  });
}
