import { LRUCache } from 'lru-cache';
import { toGrants } from '../../core/access/decide-access.ts';
import type { Identity } from '../../core/identity/caller.ts';
import type { ApplicationKeyId } from '../../core/identity/ids.ts';
import type { Authenticator } from '../../http/authentication.ts';
import type { ChangeFeed } from '../../platform/database/change-feed.ts';
import type { Database } from '../../platform/database/database.ts';
import { parseApiKey } from '../../platform/keyring/api-key.ts';
import type { SystemKeys } from '../../platform/keyring/system-keys.ts';
import { CredentialStore } from './credential-store.ts';

const keysMax = 10_000;
const ageMaxMs = 60_000;
const touchEveryMs = 10_000;
const nobody = Buffer.alloc(32);

interface KnownKey {
  readonly secretHash: Buffer;
  readonly expiresAt: number;
  readonly identity: Identity;
}

/**
 * Tells whose key it is. Answers come from memory, and only while the change feed proves that this process would have
 * heard of a revocation; otherwise every key is looked up.
 */
export class CredentialDirectory implements Authenticator {
  readonly #database: Database;
  readonly #systemKeys: SystemKeys;
  readonly #feed: ChangeFeed;
  readonly #known = new LRUCache<ApplicationKeyId, KnownKey>({ max: keysMax, ttl: ageMaxMs });
  readonly #loading = new Map<ApplicationKeyId, Promise<KnownKey | undefined>>();
  readonly #used = new Set<ApplicationKeyId>();
  #generation = 0;
  #touching: NodeJS.Timeout | undefined;

  constructor(parts: { database: Database; systemKeys: SystemKeys; feed: ChangeFeed }) {
    this.#database = parts.database;
    this.#systemKeys = parts.systemKeys;
    this.#feed = parts.feed;
    this.#feed.onGap(() => this.#forgetAll());
    this.#feed.onChange((table, id) => {
      if (table === 'application_keys') this.#forget((keyId) => keyId === id);
      if (table === 'applications') this.#forget((_, key) => key.identity.applicationId === id);
      if (table === 'tenants') this.#forget((_, key) => key.identity.tenantId === id);
    });
  }

  async authenticate(text: string): Promise<Identity | undefined> {
    const key = parseApiKey(text);
    if (key === undefined) return undefined;

    const known = (this.#feed.isCurrent ? this.#known.get(key.id) : undefined) ?? (await this.#load(key.id));
    // An unknown id is compared as well, so that it takes as long as a known one.
    const isSecret = this.#systemKeys.isCredential(key.secret, known?.secretHash ?? nobody);
    if (known === undefined || !isSecret || Date.now() >= known.expiresAt) return undefined;
    this.#noteUse(key.id);
    return known.identity;
  }

  /** Writes down the last use of keys; what a crash loses is ten seconds of a convenience. */
  async close(): Promise<void> {
    clearTimeout(this.#touching);
    await this.#touch();
  }

  #load(keyId: ApplicationKeyId): Promise<KnownKey | undefined> {
    const underway = this.#loading.get(keyId);
    if (underway !== undefined) return underway;
    const loading = this.#find(keyId).finally(() => {
      if (this.#loading.get(keyId) === loading) this.#loading.delete(keyId);
    });
    this.#loading.set(keyId, loading);
    return loading;
  }

  async #find(keyId: ApplicationKeyId): Promise<KnownKey | undefined> {
    const generation = this.#generation;
    const credential = await this.#database.forSystem((tx) => new CredentialStore(tx).find(keyId));
    if (credential === undefined) return undefined;
    const { secretHash, tenantId, applicationId, applicationType, permissions, rules, expiresAt } = credential;
    const identity = { tenantId, applicationId, applicationType, keyId, grants: toGrants(permissions, rules) };
    const known = { secretHash, identity, expiresAt: expiresAt?.getTime() ?? Number.POSITIVE_INFINITY };
    // What was read before a change arrived may be older than the change: it serves this request and is not kept.
    if (generation === this.#generation) this.#known.set(keyId, known);
    return known;
  }

  #forget(matches: (keyId: ApplicationKeyId, key: KnownKey) => boolean): void {
    this.#generation += 1;
    this.#loading.clear();
    for (const [keyId, key] of this.#known.entries()) if (matches(keyId, key)) this.#known.delete(keyId);
  }

  #forgetAll(): void {
    this.#generation += 1;
    this.#loading.clear();
    this.#known.clear();
  }

  #noteUse(keyId: ApplicationKeyId): void {
    this.#used.add(keyId);
    if (this.#touching !== undefined) return;
    this.#touching = setTimeout(() => void this.#touch().catch(() => undefined), touchEveryMs);
    this.#touching.unref();
  }

  async #touch(): Promise<void> {
    this.#touching = undefined;
    const keyIds = [...this.#used];
    this.#used.clear();
    if (keyIds.length > 0) await this.#database.forSystem((tx) => new CredentialStore(tx).touch(keyIds));
  }
}
