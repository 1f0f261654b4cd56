import type { TenantId } from '../../../core/identity/ids.ts';
import type { Statement, Transaction } from '../../../platform/database/database.ts';

/** Until the transaction ends, others that want one of the fingerprints wait here. */
export function toClaim(tenantId: TenantId, fingerprints: readonly string[]): Statement {
  return {
    name: 'token-claim-fingerprints',
    text: `insert into token_fingerprints (tenant_id, fingerprint) select $1::uuid, unnest($2::text[])
      on conflict (tenant_id, fingerprint) do update set fingerprint = excluded.fingerprint`,
    values: [tenantId, fingerprints],
  };
}

export function toRelease(tenantId: TenantId, fingerprints: readonly string[]): Statement {
  return {
    name: 'token-release-fingerprints',
    text: `delete from token_fingerprints where tenant_id = $1 and fingerprint = any($2)`,
    values: [tenantId, fingerprints],
  };
}

/** Removes claims that were left behind by a version that kept them. Those that a transaction is using are locked by it. */
export async function deleteLeftClaims(tx: Transaction, tenantId: TenantId, limit: number): Promise<number> {
  const rows = await tx.query({
    text: `delete from token_fingerprints where tenant_id = $1 and fingerprint = any (array(
        select fingerprint from token_fingerprints where tenant_id = $1 limit $2 for update skip locked)) returning 1`,
    values: [tenantId, limit],
  });
  return rows.length;
}
