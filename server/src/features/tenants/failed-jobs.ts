import type { Caller } from '../../core/identity/caller.ts';
import { successEvent } from '../../platform/audit/record/audit-event.ts';
import type { AuditLog } from '../../platform/audit/record/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import { type FailedTask, listFailedTasks } from './failed-job-store.ts';

/** Shows callers which background jobs of their tenant failed at every attempt. Only an operator can retry them. */
export class FailedJobs {
  readonly #database: Database;
  readonly #audit: AuditLog;

  constructor({ database, audit }: { readonly database: Database; readonly audit: AuditLog }) {
    this.#database = database;
    this.#audit = audit;
  }

  async list(caller: Caller): Promise<FailedTask[]> {
    const { tenantId } = caller;
    const found = await this.#database.forTenant(tenantId, listFailedTasks);
    await this.#audit.append(caller, successEvent('tenant', tenantId, 'read'));
    return found;
  }
}
