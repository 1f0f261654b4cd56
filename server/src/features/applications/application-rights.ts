import { toRules } from '../../core/access/decide-access.ts';
import type { Identity } from '../../core/identity/caller.ts';
import type { ApplicationId, TenantId } from '../../core/identity/ids.ts';
import type { Database } from '../../platform/database/database.ts';
import { ApplicationStore } from './application-store.ts';

/** What applications may do at this moment, whether or not one of their keys is in use. */
export class ApplicationRights {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Undefined if there is no such application, or it has expired. */
  async find(tenantId: TenantId, id: ApplicationId): Promise<Pick<Identity, 'grants' | 'applicationType'> | undefined> {
    const application = await this.#database.forTenant(tenantId, (tx) =>
      new ApplicationStore(tx, tenantId).findUsable(id),
    );
    if (application === undefined) return undefined;
    const { type, permissions, rules } = application;
    return { applicationType: type, grants: { rules: toRules(permissions, rules) } };
  }
}
