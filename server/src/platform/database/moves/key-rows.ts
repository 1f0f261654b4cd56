import type { TenantId } from '../../../core/identity/ids.ts';
import type { AdminSession } from './admin-session.ts';
import { withoutTriggers } from './tenant-rows.ts';

/** A wrapped key of a tenant. It is opened in the keyring only. */
interface KeyRow {
  readonly tenantId: string;
  readonly purpose: string;
  readonly version: number;
  readonly rootKey: string;
  readonly wrapped: Buffer;
  readonly canary: Buffer;
}

/** Lists the keys of the tenant as `purpose version`. */
export async function listKeyNames(admin: AdminSession, tenantId: TenantId): Promise<string[]> {
  const rows = await admin.query<{ name: string }>(
    `select purpose || ' ' || version as name from tenant_keys where tenant_id = $1`,
    [tenantId],
  );
  return rows.map(({ name }) => name);
}

/** Adds keys to a vault in which the row of the tenant may not have arrived yet. */
export async function insertKeys(admin: AdminSession, keys: readonly KeyRow[]): Promise<void> {
  await withoutTriggers(admin, async () => {
    for (const { tenantId, purpose, version, rootKey, wrapped, canary } of keys) {
      await admin.query(
        `insert into tenant_keys (tenant_id, purpose, version, root_key, wrapped, canary) values ($1, $2, $3, $4, $5, $6)
          on conflict do nothing`,
        [tenantId, purpose, version, rootKey, wrapped, canary],
      );
    }
  });
}

/** Deletes the keys of the tenant that are not among these. */
export async function deleteOtherKeys(
  admin: AdminSession,
  tenantId: TenantId,
  names: readonly string[],
): Promise<void> {
  await admin.query(`delete from tenant_keys where tenant_id = $1 and purpose || ' ' || version <> all ($2)`, [
    tenantId,
    names,
  ]);
}

/** Copies when each key was created and closed. */
export async function copyKeyStates(
  { source, target }: { readonly source: AdminSession; readonly target: AdminSession },
  tenantId: TenantId,
): Promise<void> {
  const states = await source.query<{ purpose: string; version: number; created: string; closed: string | null }>(
    `select purpose, version, created_at::text as created, closed_at::text as closed from tenant_keys where tenant_id = $1`,
    [tenantId],
  );
  for (const { purpose, version, created, closed } of states) {
    await target.query(
      `update tenant_keys set created_at = $4::timestamptz, closed_at = $5::timestamptz
        where tenant_id = $1 and purpose = $2 and version = $3`,
      [tenantId, purpose, version, created, closed],
    );
  }
}
