import type { TenantId } from '../../core/identity/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';

/** Removes what a deleted tenant left behind. Its keys are gone already: these rows can no longer be read. */
export class PurgeStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
  }

  async deleteTokens(limit: number): Promise<number> {
    const rows = await this.#tx.query({
      text: `delete from tokens where tenant_id = $1
        and id in (select id from tokens where tenant_id = $1 limit $2) returning 1`,
      values: [this.#tenantId, limit],
    });
    return rows.length;
  }

  async deleteCounts(): Promise<void> {
    await this.#tx.query({ text: 'delete from token_counts where tenant_id = $1', values: [this.#tenantId] });
  }
}
