import { LRUCache } from 'lru-cache';
import { toRules } from '../../core/access/decide-access.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { toJsonText } from '../../core/json/json-text.ts';
import type { KeyedRoute, ProxyKeys } from '../../http/callers/proxy-key.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Keyring } from '../../platform/keyring/keys/keyring.ts';
import { SealedRecordError } from '../../platform/keyring/sealing/sealed-record.ts';
import { hashProxyKey } from '../../platform/keyring/sign-in/proxy-key.ts';
import { parseTransforms } from './parse-transforms.ts';
import { findKeyedProxy } from './proxy-key-store.ts';
import { openSecrets } from './proxy-secrets.ts';
import { noSuchProxy, type ProxySecrets, type WholeProxy } from './stored-proxy.ts';
import { type SealedProxy, StoredProxyStore } from './stored-proxy-store.ts';
import type { ProxyTransform } from './transform.ts';

/** A proxy that is ready for a call. */
export interface CallableProxy {
  readonly proxy: WholeProxy;
  readonly request: readonly ProxyTransform[];
  readonly response: readonly ProxyTransform[];
}

/** A proxy whose transforms are parsed, with its secrets still sealed. */
interface ParsedProxy extends Omit<CallableProxy, 'proxy'> {
  readonly sealed: SealedProxy;
}

/**
 * The size of all parsed proxies that a process keeps, in characters of their transforms and bytes of their secrets.
 */
const keptSizeMax = 8 * 1024 * 1024;

/**
 * Looks up proxies for calls. Each call reads which version of the proxy is current, so a change applies to the next
 * call on every server. The rest is read once for each version.
 */
export class StoredProxyDirectory implements ProxyKeys {
  readonly #database: Database;
  readonly #keyring: Keyring;
  readonly #kept = new LRUCache<string, ParsedProxy>({ maxSize: keptSizeMax, sizeCalculation: sizeOf });

  constructor({ database, keyring }: { readonly database: Database; readonly keyring: Keyring }) {
    this.#database = database;
    this.#keyring = keyring;
  }

  async find(key: string): Promise<KeyedRoute | undefined> {
    const hash = hashProxyKey(key);
    if (hash === undefined) return undefined;
    const found = await this.#database.forSystem((tx) => findKeyedProxy(tx, hash));
    if (found === undefined) return undefined;
    const { applicationId, application, ...route } = found;
    if (applicationId === null) return { ...route, lent: undefined };
    const grants = { rules: application === null ? [] : toRules(application.permissions, application.rules) };
    return {
      ...route,
      lent: { applicationId, grants, isUsable: application !== null },
    };
  }

  /**
   * Opens a proxy for one call, in the version to which its caller was admitted. Rights that were checked for one
   * version must not be used with the transforms of another.
   */
  async open(tenantId: TenantId, route: Pick<KeyedRoute, 'id' | 'version'>): Promise<CallableProxy> {
    // A proxy is kept for its own tenant only, so a caller of another tenant does not find it here.
    const version = [tenantId, route.id, route.version].join(' ');
    const kept = this.#kept.get(version);
    const opened = kept && (await this.#unseal(tenantId, kept));
    if (opened !== undefined) return opened;
    const read = await this.#read(tenantId, route);
    this.#kept.set(version, read);
    return withSecrets(read, await openSecrets(this.#keyring, tenantId, read.sealed));
  }

  /** Returns undefined if the secrets have been sealed under another key since, and the old one is gone. */
  async #unseal(tenantId: TenantId, kept: ParsedProxy): Promise<CallableProxy | undefined> {
    try {
      return withSecrets(kept, await openSecrets(this.#keyring, tenantId, kept.sealed));
    } catch (error) {
      if (error instanceof SealedRecordError) return undefined;
      throw error;
    }
  }

  async #read(tenantId: TenantId, { id, version }: Pick<KeyedRoute, 'id' | 'version'>): Promise<ParsedProxy> {
    const sealed = await this.#database.forTenant(tenantId, (tx) => new StoredProxyStore(tx, tenantId).find(id));
    if (sealed === undefined) throw noSuchProxy();
    if (sealed.version !== version)
      throw new DomainError(
        'version-conflict',
        'The proxy was changed during the call. Nothing was sent. Call it again.',
      );
    return {
      sealed,
      request: parseTransforms(sealed.requestTransforms, 'request'),
      response: parseTransforms(sealed.responseTransforms, 'response'),
    };
  }
}

function withSecrets({ sealed, request, response }: ParsedProxy, secrets: ProxySecrets): CallableProxy {
  return { proxy: { ...sealed, secrets }, request, response };
}

function sizeOf({ sealed }: ParsedProxy): number {
  return toJsonText([sealed.requestTransforms, sealed.responseTransforms]).length + sealed.sealed.length;
}
