import type { Caller } from '../../core/identity/caller.ts';
import { successEvent } from '../../platform/audit/record/audit-event.ts';
import type { AuditLog } from '../../platform/audit/record/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import { type TenantTask, TenantTaskStore } from './tenant-task-store.ts';

/** Shows members the background jobs of their tenant, and those of the vault that belong to no tenant. */
export class BackgroundJobs {
  readonly #database: Database;
  readonly #audit: AuditLog;

  constructor(parts: { readonly database: Database; readonly audit: AuditLog }) {
    this.#database = parts.database;
    this.#audit = parts.audit;
  }

  async list(caller: Caller): Promise<readonly TenantTask[]> {
    const { tenantId } = caller;
    const tasks = await this.#database.forTenant(tenantId, (tx) => new TenantTaskStore(tx).list());
    await this.#audit.append(caller, successEvent('tenant', tenantId, 'read'));
    return tasks;
  }
}
