import type { ApplicationKeyId } from '../../../core/identity/ids.ts';
import type { ChangeFeed } from '../../../platform/database/changes/change-feed.ts';
import type { Database } from '../../../platform/database/database.ts';
import { WatchedCache } from '../../../platform/database/changes/watched-cache.ts';
import type { CacheUse } from '../../../platform/telemetry/cache-use.ts';
import { CredentialStore, type KeyOrigins } from './credential-store.ts';
import { forgetChanged } from './forget-changed.ts';

/**
 * Which pages may use a key, by the part of it that is not secret. Separate from identities, which take a
 * whole key to look up: requests with invented ids displace none of them, and fill no memory, as only what exists is kept.
 */
export class OriginDirectory {
  readonly #origins: WatchedCache<ApplicationKeyId, KeyOrigins>;

  constructor(parts: {
    readonly database: Database;
    readonly feed: ChangeFeed;
    readonly entriesMax: number;
    readonly ageMaxMs: number;
  }) {
    const { database, feed, entriesMax, ageMaxMs } = parts;
    this.#origins = new WatchedCache({
      feed,
      entriesMax,
      ageMaxMs,
      load: (id) => database.forSystem((tx) => new CredentialStore(tx).findOrigins(id)),
    });
    forgetChanged(feed, [this.#origins]);
  }

  async find(keyId: ApplicationKeyId): Promise<readonly string[] | undefined> {
    const known = await this.#origins.get(keyId);
    if (known === undefined || Date.now() >= (known.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY)) return undefined;
    return known.allowedOrigins ?? [];
  }

  get use(): CacheUse {
    return this.#origins.use;
  }
}
