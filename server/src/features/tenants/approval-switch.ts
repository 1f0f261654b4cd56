import { DomainError } from '../../core/errors/domain-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import { approvalSetting } from './tenant-settings.ts';
import { settingsEvent } from './tenant-service.ts';
import { TenantStore } from './tenant-store.ts';

/**
 * The way out for a tenant that demands approvals and has nobody left to give them: an operator turns the demand off on the
 * command line. The tenant finds that in its audit log, as done by the system.
 */
export class ApprovalSwitch {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async turn(tenantId: TenantId, isOn: boolean): Promise<void> {
    await this.#database.forTenant(tenantId, async (tx) => {
      const store = new TenantStore(tx, tenantId);
      const before = await store.lock();
      if (before === undefined) throw new DomainError('not-found', 'There is no such tenant.');
      await store.update({ name: before.name, settings: { [approvalSetting]: String(isOn) }, modifiedBy: null });
      const after = (await store.find()) ?? before;
      await recordInTransaction(tx, tenantId, 'system', settingsEvent(before, after));
    });
  }
}
