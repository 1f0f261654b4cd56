import type { TenantId } from '../../core/identity/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';

/** All tables with tenant rows that are not deleted together with the row in `tenants`. The audit log is kept. */
export const purgedTables = [
  'tokens',
  'token_terms',
  'token_cvcs',
  'token_fingerprints',
  'token_counts',
  'token_totals',
  'token_sets',
  'token_set_totals',
  'idempotency_results',
  'proxy_calls',
  'tenant_moves',
  'tenant_move_marks',
] as const;

/**
 * Deletes the remaining rows of a removed tenant. Its keys have already been deleted, so these rows can no longer be
 * decrypted.
 */
export class PurgeStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
  }

  /** Deletes up to `limit` rows and returns how many there were. */
  async deleteFrom(table: (typeof purgedTables)[number], limit: number): Promise<number> {
    const rows = await this.#tx.query({
      text: `delete from ${table} where tenant_id = $1
        and ctid = any (array(select ctid from ${table} where tenant_id = $1 limit $2)) returning 1`,
      values: [this.#tenantId, limit],
    });
    return rows.length;
  }
}
