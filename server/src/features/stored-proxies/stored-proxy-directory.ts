import { toRules } from '../../core/access/decide-access.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { KeyedRoute, ProxyKeys } from '../../http/callers/proxy-key.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Keyring } from '../../platform/keyring/keys/keyring.ts';
import { hashProxyKey } from '../../platform/keyring/sign-in/proxy-key.ts';
import { parseTransforms } from './parse-transforms.ts';
import { findKeyedProxy } from './proxy-key-store.ts';
import { openSecrets } from './proxy-secrets.ts';
import { noSuchProxy, type WholeProxy } from './stored-proxy.ts';
import { StoredProxyStore } from './stored-proxy-store.ts';
import type { ProxyTransform } from './transform.ts';

/** A proxy that is ready for a call. */
export interface CallableProxy {
  readonly proxy: WholeProxy;
  readonly request: readonly ProxyTransform[];
  readonly response: readonly ProxyTransform[];
}

/** Looks up proxies for calls. Each call reads the proxy, so a change applies to the next call on every server. */
export class StoredProxyDirectory implements ProxyKeys {
  readonly #database: Database;
  readonly #keyring: Keyring;

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
   * Opens a proxy for one call, in the version to which its caller was admitted. Rights that were checked for one version
   * must not be used with the transforms of another.
   */
  async open(tenantId: TenantId, { id, version }: Pick<KeyedRoute, 'id' | 'version'>): Promise<CallableProxy> {
    const found = await this.#database.forTenant(tenantId, (tx) => new StoredProxyStore(tx, tenantId).find(id));
    if (found === undefined) throw noSuchProxy();
    if (found.version !== version)
      throw new DomainError(
        'version-conflict',
        'The proxy was changed during the call. Nothing was sent. Call it again.',
      );
    const secrets = await openSecrets(this.#keyring, tenantId, found);
    return {
      proxy: { ...found, secrets },
      request: parseTransforms(found.requestTransforms, 'request'),
      response: parseTransforms(found.responseTransforms, 'response'),
    };
  }
}
