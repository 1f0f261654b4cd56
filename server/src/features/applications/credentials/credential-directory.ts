import { LRUCache } from 'lru-cache';
import { toRules } from '../../../core/access/decide-access.ts';
import type { Identity } from '../../../core/identity/caller.ts';
import type { ApplicationId, ApplicationKeyId, TenantId } from '../../../core/identity/ids.ts';
import type { Authenticator } from '../../../http/callers/authentication.ts';
import { type ChangeFeed, WatchedCache } from '../../../platform/database/changes/change-feed.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { CacheUse } from '../../../platform/telemetry/cache-use.ts';
import { withoutDeadline } from '../../../platform/waiting/deadline.ts';
import { type ApiKey, digestApiKey, parseApiKey } from '../../../platform/keyring/sign-in/api-key.ts';
import type { Keyring } from '../../../platform/keyring/keys/keyring.ts';
import type { SystemKeys } from '../../../platform/keyring/keys/system-keys.ts';
import { type Credential, CredentialStore, type SessionCredential } from './credential-store.ts';
import { forgetChanged } from './forget-changed.ts';
import { type KnownMoves, MovedKeys } from './moved-keys.ts';
import { OriginDirectory } from './origin-directory.ts';
import { requireOwnCell } from './require-own-cell.ts';

const keysMax = 10_000;
const ageMaxMs = 60_000;
const touchEveryMs = 10_000;
const nobody = Buffer.alloc(32);

interface KnownKey {
  readonly secretHash: Buffer;
  readonly expiresAt: number;
  readonly identity: Identity;
  readonly tenantId: TenantId;
  /** The applications whose changes affect what this key may do. */
  readonly applicationIds: readonly ApplicationId[];
}

type KeyName = Pick<ApiKey, 'id' | 'kind'>;

/** Proof that a key was presented with the right secret. It is void if anything known about the key has changed. */
interface Proof {
  readonly key: KeyName;
  readonly known: KnownKey;
}

/**
 * Identifies the owner of a key. Cached results are used only while the change feed proves that this process would have
 * received a revocation. Otherwise every key is looked up.
 */
export class CredentialDirectory implements Authenticator {
  readonly #database: Database;
  readonly #systemKeys: SystemKeys;
  readonly #keyring: Keyring;
  readonly #cell: string | undefined;
  readonly #moved: MovedKeys;
  readonly #keys: WatchedCache<ApplicationKeyId, KnownKey>;
  readonly #sessions: WatchedCache<ApplicationKeyId, KnownKey>;
  readonly #origins: OriginDirectory;
  /**
   * Proofs by the hash of the whole key. Parsing a key and comparing its secret takes ten times as long as this hash.
   */
  readonly #proofs = new LRUCache<string, Proof>({ max: keysMax });
  readonly #used = new Set<ApplicationKeyId>();
  #touching: NodeJS.Timeout | undefined;

  constructor({
    database,
    systemKeys,
    keyring,
    cell,
    feed,
  }: {
    database: Database;
    systemKeys: SystemKeys;
    keyring: Keyring;
    cell: string | undefined;
    feed: ChangeFeed;
  }) {
    this.#database = database;
    this.#systemKeys = systemKeys;
    this.#keyring = keyring;
    this.#cell = cell;
    this.#moved = new MovedKeys({ database, feed }, () => this.#proofs.clear());
    const limits = { feed, entriesMax: keysMax, ageMaxMs };
    this.#keys = new WatchedCache({
      ...limits,
      load: (id) => database.forSystem(async (tx) => toKnownKey(await new CredentialStore(tx).find(id))),
      // A key that awaits approval is read each time, so that its approval takes effect immediately.
      isKept: ({ identity }) => identity.awaitsApproval !== true,
    });
    this.#sessions = new WatchedCache({
      ...limits,
      load: (id) => database.forSystem(async (tx) => toKnownSession(await new CredentialStore(tx).findSession(id))),
      // A session that is not yet authorized is read each time, so that its authorization takes effect immediately.
      isKept: ({ identity }) => identity.session?.isAuthorized !== false,
    });
    this.#origins = new OriginDirectory({ database, ...limits });
    forgetChanged(feed, [this.#keys, this.#sessions]);
  }

  async authenticate(text: string): Promise<Identity | undefined> {
    const digest = digestApiKey(text);
    const proof = this.#proofs.get(digest);
    const proved = proof === undefined ? undefined : await this.#find(proof.key);
    if (proof !== undefined && proved === proof.known) return this.#admit(proof);

    const key = parseApiKey(text);
    if (key === undefined) return undefined;
    const moves = await this.#moved.get();
    requireOwnCell(key, { own: this.#cell, moves });
    const known = proof === undefined ? await this.#find(key) : proved;
    // The secret is compared even if the id is unknown, so that the response takes as long as for a known id.
    const isSecret = this.#systemKeys.isCredential(key.secret, known?.secretHash ?? nobody);
    if (known === undefined || !(isSecret || (await this.#isOfFormerCell(key, known, moves)))) return undefined;
    const fresh: Proof = { key: { id: key.id, kind: key.kind }, known };
    this.#proofs.set(digest, fresh);
    return this.#admit(fresh);
  }

  /** Returns true for the right secret of a key that was created in a cell from which its tenant has moved. */
  async #isOfFormerCell({ secret }: ApiKey, { tenantId, secretHash }: KnownKey, moves: KnownMoves): Promise<boolean> {
    if (!moves.adoptedTenants.has(tenantId)) return false;
    return (await this.#keyring.forTenant(tenantId)).isFormerCredential(secret, secretHash);
  }

  #find({ id, kind }: KeyName): Promise<KnownKey | undefined> {
    return (kind === 'sess' ? this.#sessions : this.#keys).get(id);
  }

  #admit({ key, known }: Proof): Identity | undefined {
    if (Date.now() >= known.expiresAt) return undefined;
    this.#noteUse(key.id);
    return known.identity;
  }

  /**
   * Returns the allowed origins of the public application that a key or session belongs to. The secret is not needed.
   * The result is empty if the application has no list. It is undefined if the key does not exist, has expired, or is
   * not meant for pages.
   */
  findAllowedOrigins(keyId: ApplicationKeyId): Promise<readonly string[] | undefined> {
    return this.#origins.find(keyId);
  }

  get uses(): { readonly keys: CacheUse; readonly sessions: CacheUse; readonly origins: CacheUse } {
    return { keys: this.#keys.use, sessions: this.#sessions.use, origins: this.#origins.use };
  }

  /** Records the last use of keys. A crash loses at most ten seconds of this data, which is only a convenience. */
  async close(): Promise<void> {
    clearTimeout(this.#touching);
    await this.#touch();
  }

  #noteUse(keyId: ApplicationKeyId): void {
    this.#used.add(keyId);
    if (this.#touching !== undefined) return;
    const touch = () => void this.#touch().catch(() => undefined);
    this.#touching = withoutDeadline(() => setTimeout(touch, touchEveryMs));
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
  const { allowedDestinations, allowedOrigins, grantLimit, isTenantDeleted, awaitsApproval } = credential;
  return {
    secretHash,
    expiresAt: expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
    tenantId,
    identity: {
      tenantId,
      applicationId,
      applicationType,
      keyId,
      // The edge rejects a key that awaits approval and says why. Because the key has no rights here, nothing else
      // accepts it either.
      grants: { rules: awaitsApproval ? [] : toRules(permissions, rules) },
      ...(awaitsApproval ? { awaitsApproval } : {}),
      ...(allowedDestinations === null ? {} : { allowedDestinations }),
      ...(allowedOrigins === null ? {} : { allowedOrigins }),
      ...(grantLimit === null ? {} : { grantLimit }),
      ...(isTenantDeleted ? { isTenantDeleted } : {}),
    },
    applicationIds: [applicationId],
  };
}

/** Converts a session. It has its own permissions within those of its authorizer, and none until it is authorized. */
function toKnownSession(credential: SessionCredential | undefined): KnownKey | undefined {
  const known = toKnownKey(credential);
  if (known === undefined || credential === undefined) return undefined;
  const { authorizer } = credential;
  const origin = credential.origin === null ? {} : { origin: credential.origin };
  if (authorizer === null) {
    const session = { isAuthorized: false, ...origin };
    return { ...known, identity: { ...known.identity, grants: { rules: [] }, session } };
  }
  const limit = toRules(authorizer.permissions, authorizer.rules);
  const { allowedDestinations } = authorizer;
  return {
    ...known,
    identity: {
      ...known.identity,
      grants: { ...known.identity.grants, limit },
      // A session may call the destinations of its authorizer. Its own application is public and has no list.
      ...(allowedDestinations === null ? {} : { allowedDestinations }),
      session: { isAuthorized: true, ...origin },
    },
    applicationIds: [...known.applicationIds, authorizer.id],
  };
}
