import type { TenantId } from '../../core/identity/ids.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { keysAreOpen, keyVersionsOf } from '../../platform/keyring/keys/sealed-rows.ts';

/**
 * This is longer than any request can take (30 seconds to arrive, then bounded waits). After that, no result will be
 * reported any more.
 */
const leaseSeconds = 60;
const keptSeconds = 24 * 60 * 60;

/** The stored state of a key that was already used. */
export interface UsedKey {
  readonly isAnswered: boolean;
  /** True if the server with the claim has died or lost its database connection. The work may have been done. */
  readonly isLost: boolean;
  readonly sealed: Buffer | null;
}

interface ClaimRow {
  readonly is_claimed: boolean;
  readonly is_answered: boolean | null;
  readonly is_lost: boolean | null;
  readonly sealed: Buffer | null;
}

/** Stores results. All times use the clock of the database, because the clocks of servers may differ. */
export class IdempotencyStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Claims a key. Exactly one of any number of callers gets `claimed`. Results older than a day are ignored. */
  async claim(tenantId: TenantId, keyHash: Buffer, claimId: string): Promise<'claimed' | UsedKey> {
    const [row] = await this.#database.runForTenant<ClaimRow>(tenantId, {
      name: 'idempotency_claim',
      text: `with claimed as (
          insert into idempotency_results (tenant_id, key_hash, claim_id, expires_at)
          values ($1, $2, $3, now() + make_interval(secs => $4))
          on conflict on constraint idempotency_results_pkey do update
            set claim_id = excluded.claim_id, expires_at = excluded.expires_at, is_answered = false, sealed = null
            where idempotency_results.expires_at <= now()
          returning 1)
        select exists (select from claimed) as is_claimed, used.is_answered, used.sealed,
          not used.is_answered and used.expires_at <= now() + make_interval(secs => $4 - $5) as is_lost
        from (select 1) as one
        left join idempotency_results as used on used.tenant_id = $1 and used.key_hash = $2`,
      values: [tenantId, keyHash, claimId, keptSeconds, leaseSeconds],
    });
    if (row === undefined) throw new Error('A claim returned no row.');
    // The other columns are null if the other request arrived after this statement started. That request is still being
    // handled.
    if (row.is_claimed) return 'claimed';
    return { isAnswered: row.is_answered ?? false, isLost: row.is_lost ?? false, sealed: row.sealed };
  }

  /** Stores the result, unless another request has taken over the claim. */
  async updateAnswered(tenantId: TenantId, keyHash: Buffer, claimId: string, sealed: Buffer | null): Promise<void> {
    await this.#database.runForTenant(tenantId, {
      name: 'idempotency_answer',
      text: `update idempotency_results set is_answered = true, sealed = $4, expires_at = now() + make_interval(secs => $5)
        where tenant_id = $1 and key_hash = $2 and claim_id = $3 and ${keysAreOpen(6)}`,
      values: [tenantId, keyHash, claimId, sealed, keptSeconds, keyVersionsOf(sealed === null ? [] : [sealed])],
    });
  }

  async delete(tenantId: TenantId, keyHash: Buffer, claimId: string): Promise<void> {
    await this.#database.runForTenant(tenantId, {
      name: 'idempotency_release',
      text: `delete from idempotency_results where tenant_id = $1 and key_hash = $2 and claim_id = $3`,
      values: [tenantId, keyHash, claimId],
    });
  }
}

/** Deletes up to `limit` expired results of a tenant, and returns how many there were. */
export async function deleteExpiredResults(tx: Transaction, tenantId: TenantId, limit: number): Promise<number> {
  const rows = await tx.query({
    text: `delete from idempotency_results where tenant_id = $1 and key_hash = any (array(
        select key_hash from idempotency_results where tenant_id = $1 and expires_at <= now() limit $2))
        and expires_at <= now() returning 1`,
    values: [tenantId, limit],
  });
  return rows.length;
}
