import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../../platform/database/database.ts';

/** Finds the tenant of an invitation. It works only inside `forPortal`. */
export class LinkedInvitationStore {
  readonly #tx: Transaction;

  constructor(tx: Transaction) {
    this.#tx = tx;
  }

  async findTenant(linkHash: Buffer): Promise<TenantId | undefined> {
    const [row] = await this.#tx.query<{ tenantId: TenantId }>({
      text: 'select tenant_id as "tenantId" from invitations where link_hash = $1',
      values: [linkHash],
    });
    return row?.tenantId;
  }
}
