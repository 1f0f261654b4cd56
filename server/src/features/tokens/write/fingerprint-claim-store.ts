import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../../platform/database/database.ts';

/**
 * Makes other writers of the same fingerprints wait until the transaction ends. Fingerprints are claimed in a fixed
 * order, so that two transactions with the same fingerprints cannot deadlock.
 */
export async function claimFingerprints(
  tx: Transaction,
  tenantId: TenantId,
  fingerprints: ReadonlySet<string>,
): Promise<void> {
  await tx.query({
    name: 'token-claim-fingerprints',
    text: `insert into token_fingerprints (tenant_id, fingerprint) select $1::uuid, unnest($2::text[])
      on conflict (tenant_id, fingerprint) do update set fingerprint = excluded.fingerprint`,
    values: [tenantId, [...fingerprints].sort()],
  });
}

/** Deletes claims in the transaction that made them, because a claim must not outlive its token. */
export async function releaseFingerprints(
  tx: Transaction,
  tenantId: TenantId,
  fingerprints: ReadonlySet<string>,
): Promise<void> {
  await tx.query({
    name: 'token-release-fingerprints',
    text: `delete from token_fingerprints where tenant_id = $1 and fingerprint = any($2)`,
    values: [tenantId, [...fingerprints]],
  });
}

/** Removes orphaned claims of an earlier version. Claims in use are locked by their transaction and skipped. */
export async function deleteLeftClaims(tx: Transaction, tenantId: TenantId, limit: number): Promise<number> {
  const rows = await tx.query({
    text: `delete from token_fingerprints where tenant_id = $1 and fingerprint = any (array(
        select fingerprint from token_fingerprints where tenant_id = $1 limit $2 for update skip locked)) returning 1`,
    values: [tenantId, limit],
  });
  return rows.length;
}
