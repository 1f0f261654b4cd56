import { LRUCache } from 'lru-cache';
import { toRules } from '../../core/access/decide-access.ts';
import type { Identity } from '../../core/identity/caller.ts';
import type { ApplicationId, ApplicationKeyId } from '../../core/identity/ids.ts';
import type { Authenticator } from '../../http/authentication.ts';
import type { ChangeFeed } from '../../platform/database/change-feed.ts';
import type { Database } from '../../platform/database/database.ts';
import { type ApiKey, parseApiKey } from '../../platform/keyring/api-key.ts';
import type { SystemKeys } from '../../platform/keyring/system-keys.ts';
import { type Credential, CredentialStore, type SessionCredential } from './credential-store.ts';

const keysMax = 10_000;
const ageMaxMs = 60_000;
const touchEveryMs = 10_000;
const nobody = Buffer.alloc(32);

interface KnownKey {
  readonly secretHash: Buffer;
  readonly expiresAt: number;
  readonly identity: Identity;
  /** The applications whose change changes what this key may do. */
  readonly applicationIds: readonly ApplicationId[];
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
      if (table === 'application_keys' || table === 'sessions') this.#forget((keyId) => keyId === id);
      if (table === 'applications') this.#forget((_, key) => key.applicationIds.includes(id as ApplicationId));
      if (table === 'tenants') this.#forget((_, key) => key.identity.tenantId === id);
    });
  }

  async authenticate(text: string): Promise<Identity | undefined> {
    const key = parseApiKey(text);
    if (key === undefined) return undefined;

    const known = (this.#feed.isCurrent ? this.#known.get(key.id) : undefined) ?? (await this.#load(key));
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

  #load({ id, kind }: ApiKey): Promise<KnownKey | undefined> {
    const underway = this.#loading.get(id);
    if (underway !== undefined) return underway;
    const loading = this.#find(id, kind === 'sess').finally(() => {
      if (this.#loading.get(id) === loading) this.#loading.delete(id);
    });
    this.#loading.set(id, loading);
    return loading;
  }

  async #find(keyId: ApplicationKeyId, isSession: boolean): Promise<KnownKey | undefined> {
    const generation = this.#generation;
    const known = await this.#database.forSystem(async (tx) => {
      const store = new CredentialStore(tx);
      return isSession ? toKnownSession(await store.findSession(keyId)) : toKnownKey(await store.find(keyId));
    });
    // A session that waits for its authorization is asked for each time: whoever was told that it has it must find it so.
    const isWaiting = known?.identity.session?.isAuthorized === false;
    // What was read before a change arrived may be older than the change: it serves this request and is not kept.
    if (known !== undefined && !isWaiting && generation === this.#generation) this.#known.set(keyId, known);
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

function toKnownKey(credential: Credential | undefined): KnownKey | undefined {
  if (credential === undefined) return undefined;
  const { secretHash, tenantId, applicationId, applicationType, keyId, permissions, rules, expiresAt } = credential;
  const { allowedDestinations } = credential;
  return {
    secretHash,
    expiresAt: expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
    identity: {
      tenantId,
      applicationId,
      applicationType,
      keyId,
      grants: { rules: toRules(permissions, rules) },
      ...(allowedDestinations === null ? {} : { allowedDestinations }),
    },
    applicationIds: [applicationId],
  };
}

/** A session has its own rights within those of its authorizer; until there is one, it has none. */
function toKnownSession(credential: SessionCredential | undefined): KnownKey | undefined {
  const known = toKnownKey(credential);
  if (known === undefined || credential === undefined) return undefined;
  const { authorizer } = credential;
  if (authorizer === null) {
    return { ...known, identity: { ...known.identity, grants: { rules: [] }, session: { isAuthorized: false } } };
  }
  const limit = toRules(authorizer.permissions, authorizer.rules);
  const { allowedDestinations } = authorizer;
  return {
    ...known,
    identity: {
      ...known.identity,
      grants: { ...known.identity.grants, limit },
      // A session calls what its authorizer may call: its own application is public and lists nothing.
      ...(allowedDestinations === null ? {} : { allowedDestinations }),
      session: { isAuthorized: true },
    },
    applicationIds: [...known.applicationIds, authorizer.id],
  };
}
