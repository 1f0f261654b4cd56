import type { LoadedKeys } from './tenant-key-loading.ts';

const freshMs = 5 * 60_000;
/**
 * The age up to which cached keys are used. A key service may therefore be unavailable for 15 minutes after a refresh
 * first needs it.
 */
export const staleMs = freshMs + 15 * 60_000;
/** The part of the grace time of an own root key after which it is asked again. */
const ownFreshPart = 3;

/** The keys of a tenant in memory, with the ages at which they are loaded again and up to which they are used. */
export interface CachedKeyring extends LoadedKeys {
  /** When loading began, so that the age includes the time that the key service took. */
  readonly loadedAt: number;
  readonly freshMs: number;
  staleMs: number;
  ownKeyId: string | undefined;
  retryAt: number;
  /** True if something about these keys has changed since they were loaded. */
  isOutdated: boolean;
}

/** Returns an entry for the cache. Keys under an own root key are used for its grace time at most. */
export function toCached(loaded: LoadedKeys, loadedAt: number, graceMs: number): CachedKeyring {
  const ages =
    loaded.ownKeyId === undefined
      ? { freshMs, staleMs }
      : { freshMs: Math.min(freshMs, graceMs / ownFreshPart), staleMs: graceMs };
  return { ...loaded, ...ages, loadedAt, retryAt: 0, isOutdated: false };
}

export function outdate(cached: CachedKeyring): void {
  cached.isOutdated = true;
  cached.retryAt = 0;
}

/** Limits keys that a root key of the vault wrapped when they were loaded, and that an own root key wraps now. */
export function limitToGrace(cached: CachedKeyring, ownKeyId: string, graceMs: number): void {
  cached.ownKeyId = ownKeyId;
  cached.staleMs = Math.min(cached.staleMs, graceMs);
}
