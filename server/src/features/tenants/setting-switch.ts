import { DomainError } from '../../core/errors/domain-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import type { approvalSetting, providerSetting } from './tenant-settings.ts';
import { settingsEvent } from './tenant-service.ts';
import { TenantStore } from './tenant-store.ts';

/** Settings that can shut out everybody who could turn them off. */
export type SwitchedSetting = typeof approvalSetting | typeof providerSetting;

/**
 * Turns off a setting of a tenant in which nobody can do it any more: required approvals, or required sign-ins at the
 * OpenID provider. An operator does this on the command line. It is recorded in the audit log of the tenant as an action
 * of the system.
 */
export class SettingSwitch {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async turn(tenantId: TenantId, name: SwitchedSetting, isOn: boolean): Promise<void> {
    await this.#database.forTenant(tenantId, async (tx) => {
      const store = new TenantStore(tx, tenantId);
      const before = await store.lock();
      if (before === undefined) throw new DomainError('not-found', 'There is no such tenant.');
      await store.update({ name: before.name, settings: { [name]: String(isOn) }, modifiedBy: null });
      const after = (await store.find()) ?? before;
      await recordInTransaction(tx, tenantId, 'system', settingsEvent(before, after));
    });
  }
}
