import { LRUCache } from 'lru-cache';
import type { TenantId } from '../../core/identity/ids.ts';
import type { ChangeFeed } from '../../platform/database/change-feed.ts';
import type { Database } from '../../platform/database/database.ts';
import { TenantStore } from './tenant-store.ts';

const tenantsMax = 10_000;

/** What a tenant has decided about all of its tokens and calls. */
export interface TenantSettings {
  readonly fingerprintTokens: boolean;
  readonly deduplicateTokens: boolean;
  readonly disableEphemeralProxy: boolean;
}

/** Settings as they are stored at this moment. */
export async function readTenantSettings(database: Database, tenantId: TenantId): Promise<TenantSettings> {
  const tenant = await database.forTenant(tenantId, (tx) => new TenantStore(tx, tenantId).find());
  return {
    fingerprintTokens: tenant?.settings['fingerprint_tokens'] !== 'false',
    deduplicateTokens: tenant?.settings['deduplicate_tokens'] === 'true',
    disableEphemeralProxy: tenant?.settings['disable_ephemeral_proxy'] === 'true',
  };
}

/** Settings from memory, for as long as this process would hear of a change. */
export class TenantSettingsDirectory {
  readonly #database: Database;
  readonly #feed: ChangeFeed;
  readonly #known = new LRUCache<TenantId, TenantSettings>({ max: tenantsMax });
  #generation = 0;

  constructor(parts: { database: Database; feed: ChangeFeed }) {
    this.#database = parts.database;
    this.#feed = parts.feed;
    this.#feed.onGap(() => this.#forget(() => this.#known.clear()));
    this.#feed.onChange((table, id) => {
      if (table === 'tenants') this.#forget(() => this.#known.delete(id as TenantId));
    });
  }

  async get(tenantId: TenantId): Promise<TenantSettings> {
    const known = this.#feed.isCurrent ? this.#known.get(tenantId) : undefined;
    if (known !== undefined) return known;

    const generation = this.#generation;
    const settings = await readTenantSettings(this.#database, tenantId);
    // What was read before a change arrived may be older than the change: it serves this request and is not kept.
    if (generation === this.#generation) this.#known.set(tenantId, settings);
    return settings;
  }

  #forget(drop: () => void): void {
    this.#generation += 1;
    drop();
  }
}
