import type { TenantId } from '../../core/identity/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';

/** Every table with tenant rows that are not deleted with its row in `tenants`. The audit log is kept. */
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
  'joint_commits',
  'drawer_arrivals',
] as const;

/** Removes what a deleted tenant left behind. Its keys are already gone: these rows can no longer be read. */
export class PurgeStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
  }

  /** On a node, what it knows of the tenant goes with the row: nobody introduces a tenant again that home has forgotten. */
  async forgetTenant(): Promise<void> {
    await this.#tx.query({ text: 'delete from tenants where id = $1', values: [this.#tenantId] });
  }

  /** Until the end of the transaction, tokens are seen in drawers that this node does not hold, such as one that is being filled. */
  async seeAllDrawers(): Promise<void> {
    await this.#tx.query({ text: `select set_config('app.moves_drawers', 'on', true)` });
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
