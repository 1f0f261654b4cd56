import { LRUCache } from 'lru-cache';
import { isId } from '../../../core/identity/ids.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import type { Database, Transaction } from '../../database/database.ts';
import type { CacheUse } from '../../telemetry/cache-use.ts';
import { SharedReads } from '../../waiting/shared-reads.ts';
import { ownKeyNameOf } from '../kms/own-root-key.ts';
import type { RootKeys } from '../kms/root-keys.ts';
import { type CachedKeyring, limitToGrace, outdate, staleMs, toCached } from './cached-keyring.ts';
import { type OwnKeyOutage, OwnKeyOutages } from './own-key-outages.ts';
import { type LoadedKeys, loadTenantKeys, RootKeyUnavailable } from './tenant-key-loading.ts';
import { TenantKeyStore } from './tenant-key-store.ts';
import { makeWrappedKey } from './tenant-key-wrapping.ts';
import { type TenantKeyring, tenantKeyPurposes } from './tenant-keyring.ts';

/** The delay before retrying a failed refresh. Retrying on every request would not help a struggling service. */
const retryMs = 5_000;
/** The age up to which loaded keys show that an own root key works. */
const provenMs = 10_000;
const tenantsMax = 1_000;

/** A key service that cannot unwrap keys. */
export interface KeyOutage {
  readonly error: Error;
  /** The time after which the first loaded key can no longer be used. Undefined if no key is loaded. */
  readonly endsInMs: number | undefined;
}

/**
 * Provides the unwrapped keys of each tenant. They are loaded once, refreshed one at a time, and limited in number and
 * age.
 */
export class Keyring {
  readonly #database: Database;
  readonly #rootKeys: RootKeys;
  readonly #now: () => number;
  readonly #cache = new LRUCache<TenantId, CachedKeyring>({
    max: tenantsMax,
    ttl: staleMs,
    ttlAutopurge: true,
  });
  readonly #reads = new SharedReads<TenantId, LoadedKeys>();
  readonly #outageListeners = new Set<(outage: KeyOutage | undefined) => void>();
  /** Outages of own root keys. They are no outage of the vault, and each concerns one tenant. */
  readonly ownOutages = new OwnKeyOutages();
  #isFailing = false;
  #hits = 0;

  /** The clock only measures durations, so the default is a monotonic one. */
  constructor(database: Database, rootKeys: RootKeys, now: () => number = () => performance.now()) {
    this.#database = database;
    this.#rootKeys = rootKeys;
    this.#now = now;
  }

  async forTenant(tenantId: TenantId): Promise<TenantKeyring> {
    const cached = this.#cache.get(tenantId);
    const age = cached === undefined ? Number.POSITIVE_INFINITY : this.#now() - cached.loadedAt;
    if (cached === undefined || age >= cached.staleMs) return this.#load(tenantId);
    if (cached.isOutdated) return this.#replace(tenantId, cached);
    this.#hits += 1;
    if (age < cached.freshMs) return cached.keyring;
    // The keys are still trusted while a fresh copy is loaded. Callers notice a failure only after the grace period.
    if (this.#now() >= cached.retryAt) {
      cached.retryAt = this.#now() + retryMs;
      this.#load(tenantId).catch(() => undefined);
    }
    return cached.keyring;
  }

  /** Returns the keyring for a record whose key version another server may have just created. */
  async forRecord(tenantId: TenantId, record: Buffer): Promise<TenantKeyring> {
    const keyring = await this.forTenant(tenantId);
    if (keyring.canOpen(record)) return keyring;
    // A load in progress may have read the table before that version was stored. The next load cannot have.
    const isUnderway = this.#reads.has(tenantId);
    const loaded = await this.#load(tenantId);
    return isUnderway && !loaded.canOpen(record) ? this.#load(tenantId) : loaded;
  }

  /** Failures of own root keys do not count: an operator cannot mend them, and is not to be woken. */
  get use(): CacheUse {
    const { loads, failures } = this.#reads.counts;
    return { entries: this.#cache.size, hits: this.#hits, loads, failures: failures - this.ownOutages.failures };
  }

  /** Registers a listener that is called when loading keys begins to fail, and when it works again. */
  onOutage(listener: (outage: KeyOutage | undefined) => void): void {
    this.#outageListeners.add(listener);
  }

  /** The time until the first loaded keys end, while keys cannot be loaded. Undefined if they can. */
  get endsInMs(): number | undefined {
    if (!this.#isFailing || this.#cache.size === 0) return undefined;
    const ours = [...this.#cache.values()].filter(({ ownKeyId }) => ownKeyId === undefined);
    if (ours.length === 0) return undefined;
    const first = Math.min(...ours.map(({ loadedAt }) => loadedAt));
    return Math.max(0, first + staleMs - this.#now());
  }

  /** The time until values of the first tenant end, for each own root key in the settings. Infinite if it works. */
  get ownKeysEndInMs(): ReadonlyMap<string, number> {
    return this.ownOutages.endsInMs(this.#rootKeys.own.names, this.#now());
  }

  /**
   * Asks the own root key of a tenant, unless that has just been done, and returns the outage if it fails, with the time
   * for which this process can still use the tenant's keys.
   */
  async findOwnOutage(tenantId: TenantId): Promise<(OwnKeyOutage & { readonly endsInMs: number }) | undefined> {
    const cached = this.#cache.peek(tenantId);
    if (cached === undefined || this.#now() - cached.loadedAt >= provenMs) {
      await this.#load(tenantId).catch(() => undefined);
    }
    const outage = this.ownOutages.find(tenantId);
    return outage === undefined ? undefined : { ...outage, endsInMs: Math.max(0, outage.endsAt - this.#now()) };
  }

  /**
   * Creates the first keys of a new tenant, wrapped by the own root key of that name, if any. Wrapping may take a network
   * round trip, so storing them is a separate step.
   */
  async makeTenantKeys(tenantId: TenantId, ownKey?: string): Promise<{ store(tx: Transaction): Promise<void> }> {
    const keys = await Promise.all(
      tenantKeyPurposes.map((purpose) => makeWrappedKey(this.#rootKeys, { tenantId, purpose, version: 1 }, ownKey)),
    );
    return {
      async store(tx) {
        const store = new TenantKeyStore(tx);
        for (const key of keys) await store.insert(key);
      },
    };
  }

  /**
   * Marks cached keys as outdated, so that the next caller gets keys that were read after this call. A load in progress
   * may have read older keys.
   */
  forget(tenantId: string): void {
    if (!isId<TenantId>(tenantId)) return;
    const cached = this.#cache.peek(tenantId);
    if (cached !== undefined) outdate(cached);
    this.ownOutages.retry(tenantId);
    this.#reads.outdate(tenantId);
  }

  forgetAll(): void {
    for (const cached of this.#cache.values()) outdate(cached);
    this.#reads.outdateAll();
  }

  /**
   * Replaces outdated keys. While the key service is unavailable, the old keys are used, because they could open
   * everything before the change.
   */
  async #replace(tenantId: TenantId, cached: CachedKeyring): Promise<TenantKeyring> {
    if (this.#now() < cached.retryAt) return cached.keyring;
    try {
      return await this.#load(tenantId);
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'key-service-unavailable') {
        this.#cache.delete(tenantId);
        throw error;
      }
      cached.retryAt = this.#now() + retryMs;
      return cached.keyring;
    }
  }

  async #load(tenantId: TenantId): Promise<TenantKeyring> {
    const recent = this.ownOutages.findRecent(tenantId, this.#now());
    if (recent !== undefined) throw toUnavailable(recent.rootKey, recent.error);
    const loadedAt = this.#now();
    const loaded = await this.#reads.run(
      tenantId,
      () => this.#database.tracer.span('unwrap-keys', {}, () => this.#read(tenantId)),
      (fresh) => this.#keep(tenantId, fresh, loadedAt),
    );
    return loaded.keyring;
  }

  #keep(tenantId: TenantId, loaded: LoadedKeys, loadedAt: number): void {
    const cached = toCached(loaded, loadedAt, this.#rootKeys.own.graceMs);
    // The keys of an inactive tenant are evicted too.
    this.#cache.set(tenantId, cached, { ttl: cached.staleMs });
  }

  async #read(tenantId: TenantId): Promise<LoadedKeys> {
    try {
      const loaded = await loadTenantKeys({ database: this.#database, rootKeys: this.#rootKeys }, tenantId);
      if (loaded.ownKeyId === undefined) this.#noteOutage(undefined);
      this.ownOutages.end(tenantId);
      return loaded;
    } catch (error) {
      if (!(error instanceof RootKeyUnavailable)) throw error;
      const { rootKey, cause } = error;
      if (ownKeyNameOf(rootKey) === undefined) this.#noteOutage(cause);
      else this.#noteOwnOutage(tenantId, rootKey, cause);
      throw toUnavailable(rootKey, cause);
    }
  }

  #noteOwnOutage(tenantId: TenantId, rootKey: string, error: Error): void {
    const cached = this.#cache.peek(tenantId);
    if (cached !== undefined) limitToGrace(cached, rootKey, this.#rootKeys.own.graceMs);
    const failedAt = this.#now();
    const endsAt = cached === undefined ? failedAt : cached.loadedAt + cached.staleMs;
    this.ownOutages.begin({ tenantId, rootKey, error, endsAt, failedAt });
  }

  #noteOutage(error: Error | undefined): void {
    if (this.#isFailing === (error !== undefined)) return;
    this.#isFailing = error !== undefined;
    const outage = error === undefined ? undefined : { error, endsInMs: this.endsInMs };
    for (const listener of this.#outageListeners) listener(outage);
  }
}

function toUnavailable(rootKey: string, cause: Error): DomainError {
  const message =
    ownKeyNameOf(rootKey) === undefined
      ? 'The key service cannot be reached. Try again shortly.'
      : "The tenant's own root key cannot be used, so none of its values can be encrypted or decrypted. Ask the owner of that key.";
  return new DomainError('key-service-unavailable', message, { cause });
}
