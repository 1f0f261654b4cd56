import type { ApplicationKeyId } from '../../../core/identity/ids.ts';
import { type ChangeFeed, WatchedCache } from '../../../platform/database/changes/change-feed.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { CacheUse } from '../../../platform/telemetry/cache-use.ts';
import { CredentialStore, type KeyOrigins } from './credential-store.ts';
import { forgetChanged } from './forget-changed.ts';

/**
 * Finds the pages that may use a key, by the part of the key that is not secret. This cache is separate from that of
 * the identities, whose lookup needs a whole key. Requests with invented ids therefore do not displace identities. They
 * do not fill memory either, because only existing keys are cached.
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
