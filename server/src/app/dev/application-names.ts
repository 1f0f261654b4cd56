import { LRUCache } from 'lru-cache';
import type { Identity } from '../../core/identity/caller.ts';
import type { ApplicationId, TenantId } from '../../core/identity/ids.ts';
import { ApplicationStore } from '../../features/applications/index.ts';
import type { Database } from '../../platform/database/database.ts';

/** The time for which a name is cached. A renamed application shows its old name for at most this long. */
const keptMs = 5_000;
const keptMax = 1_000;

/** A cache of application names for a developer's terminal. */
export class ApplicationNames {
  readonly #database: Database;
  readonly #known = new LRUCache<ApplicationId, string>({ max: keptMax, ttl: keptMs });

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns undefined if the application no longer exists, or cannot be looked up at the moment. */
  async find({ tenantId, applicationId }: Identity): Promise<string | undefined> {
    const known = this.#known.get(applicationId);
    if (known !== undefined) return known;
    const name = await this.#load(tenantId, applicationId).catch(() => undefined);
    if (name !== undefined) this.#known.set(applicationId, name);
    return name;
  }

  async #load(tenantId: TenantId, id: ApplicationId): Promise<string | undefined> {
    const found = await this.#database.forTenant(tenantId, (tx) => new ApplicationStore(tx, tenantId).find(id));
    return found?.name;
  }
}
