import type { ApplicationId, ApplicationKeyId, TenantId } from '../../../core/identity/ids.ts';
import type { ChangeFeed, WatchedCache } from '../../../platform/database/changes/change-feed.ts';

/** The dependencies of cached data about a key, besides the key or session itself. */
interface Grounds {
  readonly tenantId: TenantId;
  /** The applications whose changes affect the cached data. */
  readonly applicationIds: readonly ApplicationId[];
}

/** Drops cached data about keys and sessions when they, their applications or their tenant change. */
export function forgetChanged<Known extends Grounds>(
  feed: ChangeFeed,
  caches: readonly WatchedCache<ApplicationKeyId, Known>[],
): void {
  const forget = (matches: (keyId: ApplicationKeyId, known: Known) => boolean) => {
    for (const cache of caches) cache.forget(matches);
  };
  feed.onChange((table, id) => {
    if (table === 'application_keys' || table === 'sessions') forget((keyId) => keyId === id);
    if (table === 'applications') forget((_, { applicationIds }) => applicationIds.some((known) => known === id));
    if (table === 'tenants') forget((_, { tenantId }) => tenantId === id);
  });
}
