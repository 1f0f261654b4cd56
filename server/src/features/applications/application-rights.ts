import { toRules } from '../../core/access/decide-access.ts';
import type { Identity } from '../../core/identity/caller.ts';
import type { ApplicationId, TenantId } from '../../core/identity/ids.ts';
import type { Database } from '../../platform/database/database.ts';
import { ApplicationStore } from './application-store.ts';

/** Looks up the current rights of applications, whether or not any of their keys is in use. */
export class ApplicationRights {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns undefined if there is no such application, or if it has expired. */
  async find(
    tenantId: TenantId,
    id: ApplicationId,
  ): Promise<Pick<Identity, 'grants' | 'applicationType' | 'allowedDestinations'> | undefined> {
    const application = await this.#database.forTenant(tenantId, (tx) =>
      new ApplicationStore(tx, tenantId).findUsable(id),
    );
    if (application === undefined) return undefined;
    const { type, permissions, rules, allowedDestinations } = application;
    return {
      applicationType: type,
      grants: { rules: toRules(permissions, rules) },
      ...(allowedDestinations === null ? {} : { allowedDestinations }),
    };
  }
}
