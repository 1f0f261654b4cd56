import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { isId } from '../../../core/identity/ids.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import type { Database, Transaction } from '../../database/database.ts';
import type { CacheUse } from '../../telemetry/cache-use.ts';
import { SharedReads } from '../../waiting/shared-reads.ts';
import { withinTime } from '../../waiting/within-time.ts';
import { RootKeyMismatch } from '../kms/root-key.ts';
import type { RootKeys } from '../kms/root-keys.ts';
import { SealedRecordError } from '../sealing/sealed-record.ts';
import { TenantKeyStore, type WrappedTenantKey } from './tenant-key-store.ts';
import { makeWrappedKey, unwrapKey } from './tenant-key-wrapping.ts';
import { TenantKeyring, type TenantKeyPurpose, tenantKeyPurposes } from './tenant-keyring.ts';

const freshMs = 5 * 60_000;
/**
 * The age up to which cached keys are used. A key service may therefore be unavailable for 15 minutes after a refresh
 * first needs it.
 */
const staleMs = freshMs + 15 * 60_000;
/** The delay before retrying a failed refresh. Retrying on every request would not help a struggling service. */
const retryMs = 5_000;
/** The time after which a key service that does not respond counts as unavailable. */
const unwrapTimeoutMs = 5_000;
const lateMessage = 'The key service did not respond in time.';
const tenantsMax = 1_000;

interface CachedKeyring {
  readonly keyring: TenantKeyring;
  readonly loadedAt: number;
  retryAt: number;
  /** True if something about these keys has changed since they were loaded. */
  isOutdated: boolean;
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
    // The keys of an inactive tenant are evicted too.
    ttl: staleMs,
    ttlAutopurge: true,
  });
  readonly #reads = new SharedReads<TenantId, TenantKeyring>();
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
    if (cached === undefined || age >= staleMs) return this.#load(tenantId);
    if (cached.isOutdated) return this.#replace(tenantId, cached);
    this.#hits += 1;
    if (age < freshMs) return cached.keyring;
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

  get use(): CacheUse {
    return { entries: this.#cache.size, hits: this.#hits, ...this.#reads.counts };
  }

  /** Creates the first keys of a new tenant. Wrapping may take a network round trip, so storing them is a separate step. */
  async makeTenantKeys(tenantId: TenantId): Promise<{ store(tx: Transaction): Promise<void> }> {
    const keys = await Promise.all(
      tenantKeyPurposes.map((purpose) => makeWrappedKey(this.#rootKeys, { tenantId, purpose, version: 1 })),
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

  #load(tenantId: TenantId): Promise<TenantKeyring> {
    return this.#reads.run(
      tenantId,
      () => this.#database.tracer.span('unwrap-keys', {}, () => this.#unwrapAll(tenantId)),
      (keyring) => this.#cache.set(tenantId, { keyring, loadedAt: this.#now(), retryAt: 0, isOutdated: false }),
    );
  }

  async #unwrapAll(tenantId: TenantId): Promise<TenantKeyring> {
    const wrapped = await this.#database.forTenant(tenantId, (tx) => new TenantKeyStore(tx).listOfTenant(tenantId));
    // The keys were just destroyed with the tenant. The caller's API key has not been rejected yet.
    if (wrapped.length === 0) throw new DomainError('not-found', 'There is no such tenant.');
    const keys = await Promise.all(
      wrapped.map(async (row) => ({ purpose: row.purpose, version: row.version, key: await this.#unwrap(row) })),
    );
    const ofPurpose = (purpose: TenantKeyPurpose) => keys.filter((key) => key.purpose === purpose);
    return new TenantKeyring(tenantId, {
      data: ofPurpose('data'),
      fingerprint: ofPurpose('fingerprint'),
      index: ofPurpose('index'),
    });
  }

  #unwrap(row: WrappedTenantKey): Promise<KeyObject> {
    return withinTime(unwrapKey(this.#rootKeys, row), unwrapTimeoutMs, lateMessage).catch((error: unknown) => {
      if (error instanceof RootKeyMismatch || error instanceof SealedRecordError) throw error;
      throw new DomainError('key-service-unavailable', 'The key service cannot be reached. Try again shortly.', {
        cause: error,
      });
    });
  }
}

function outdate(cached: CachedKeyring): void {
  cached.isOutdated = true;
  cached.retryAt = 0;
}
