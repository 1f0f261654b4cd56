import { DomainError, invalidField } from '../../core/errors/domain-error.ts';
import { actorIdOf, type Caller } from '../../core/identity/caller.ts';
import { Sensitive } from '../../core/identity/sensitive.ts';
import type { Page, PageRequest } from '../../http/parameters/pagination.ts';
import { noSingleEntity } from '../../platform/audit/record/audit-event.ts';
import { type AuditLog, recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import { requireOpenTenant } from '../../platform/database/open-tenant.ts';
import type { Keyring } from '../../platform/keyring/keys/keyring.ts';
import { generateProxyKey, hashProxyKey } from '../../platform/keyring/sign-in/proxy-key.ts';
import type { DestinationCheck } from './destination-check.ts';
import { maySeeKey, requireGrantableProxy, requireManageableProxy, requireNoApproval } from './proxy-rights.ts';
import { openSecrets, sealSecrets } from './proxy-secrets.ts';
import {
  callerSecretMin,
  type Configuration,
  isSameHost,
  noSuchProxy,
  type ProxySettings,
  storedProxiesMax,
  storedProxyEvent,
  type WholeProxy,
} from './stored-proxy.ts';
import type { WantedProxy } from './stored-proxy-schemas.ts';
import type { VisibleProxy } from './stored-proxy-view.ts';
import { type ProxyFilter, type SealedProxy, StoredProxyStore } from './stored-proxy-store.ts';

export interface StoredProxyServiceParts {
  readonly database: Database;
  readonly audit: AuditLog;
  readonly keyring: Keyring;
  readonly destinations: DestinationCheck;
}

/** Manages the stored proxies of a tenant. */
export class StoredProxyService {
  readonly #parts: StoredProxyServiceParts;

  constructor(parts: StoredProxyServiceParts) {
    this.#parts = parts;
  }

  async create(caller: Caller, { settings, configuration = {} }: WantedProxy): Promise<VisibleProxy> {
    const { database, keyring, destinations } = this.#parts;
    const { tenantId } = caller;
    requireSafe(settings);
    requireCheckable(settings, configuration);
    const { host } = await destinations.requireCallable(settings.destinationUrl);
    const id = crypto.randomUUID();
    const key = generateProxyKey();
    const secrets = { key, configuration: new Sensitive(configuration) };
    const sealed = await sealSecrets(keyring, tenantId, { id, secrets });
    const keyHash = hashProxyKey(key.reveal());
    if (keyHash === undefined) throw new Error('A generated key does not have the form of a key.');
    const proxy = await database.forTenant(tenantId, async (tx) => {
      await requireOpenTenant(tx, tenantId);
      await requireGrantableProxy(tx, caller, settings);
      await requireNoApproval(tx, caller, { before: undefined, after: settings, keepsSecrets: false });
      const store = new StoredProxyStore(tx, tenantId);
      if ((await store.count()) >= storedProxiesMax)
        throw new DomainError('validation-failed', `A tenant can have at most ${storedProxiesMax} proxies.`);
      const created = await store.insert(settings, { id, keyHash, sealed, actorId: actorIdOf(caller) });
      await recordInTransaction(tx, tenantId, caller, storedProxyEvent(id, 'create', host));
      return created;
    });
    return this.#show(caller, proxy);
  }

  async list(caller: Caller, filter: ProxyFilter, page: PageRequest): Promise<Page<VisibleProxy>> {
    const { totalItems, items } = await this.#parts.database.forTenant(caller.tenantId, (tx) =>
      new StoredProxyStore(tx, caller.tenantId).list(filter, page),
    );
    const shown: VisibleProxy[] = [];
    for (const item of items) shown.push(await this.#show(caller, item));
    await this.#parts.audit.append(caller, storedProxyEvent(noSingleEntity, 'read'));
    return { totalItems, items: shown };
  }

  async get(caller: Caller, id: string): Promise<VisibleProxy> {
    const shown = await this.#show(caller, await this.#find(caller, id));
    await this.#parts.audit.append(caller, storedProxyEvent(id, 'read'));
    return shown;
  }

  /** Changes a proxy. `change` returns the new settings, given those in force. */
  async update(caller: Caller, id: string, change: (current: WholeProxy) => WantedProxy): Promise<VisibleProxy> {
    const { database, keyring, destinations } = this.#parts;
    const { tenantId } = caller;
    const found = await this.#find(caller, id);
    const current = { ...found, secrets: await openSecrets(keyring, tenantId, found) };
    const { settings, configuration } = change(current);
    requireSafe(settings);
    const { host } = await destinations.requireCallable(settings.destinationUrl);
    const kept = toConfiguration(current, { settings, configuration });
    requireCheckable(settings, kept);
    const secrets = { key: current.secrets.key, configuration: new Sensitive(kept) };
    const sealed = await sealSecrets(keyring, tenantId, { id, secrets });
    const proxy = await database.forTenant(tenantId, async (tx) => {
      await requireManageableProxy(tx, caller, current);
      await requireGrantableProxy(tx, caller, settings);
      await requireNoApproval(tx, caller, {
        before: current,
        after: settings,
        keepsSecrets: isSame(kept, current.secrets.configuration.reveal()),
      });
      const updated = await new StoredProxyStore(tx, tenantId).update(current, settings, {
        sealed,
        actorId: actorIdOf(caller),
      });
      if (updated === undefined) throw changedMeanwhile();
      await recordInTransaction(tx, tenantId, caller, storedProxyEvent(id, 'update', host));
      return updated;
    });
    return this.#show(caller, proxy);
  }

  /** Deletes a proxy. Calls that begin after the commit do not find it. */
  async delete(caller: Caller, id: string): Promise<void> {
    await this.#parts.database.forTenant(caller.tenantId, async (tx) => {
      const store = new StoredProxyStore(tx, caller.tenantId);
      const current = await store.lock(id);
      if (current === undefined) throw noSuchProxy();
      await requireManageableProxy(tx, caller, current);
      await store.delete(id);
      await recordInTransaction(tx, caller.tenantId, caller, storedProxyEvent(id, 'delete'));
    });
  }

  async #find({ tenantId }: Caller, id: string): Promise<SealedProxy> {
    const found = await this.#parts.database.forTenant(tenantId, (tx) => new StoredProxyStore(tx, tenantId).find(id));
    if (found === undefined) throw noSuchProxy();
    return found;
  }

  async #show(caller: Caller, proxy: SealedProxy): Promise<VisibleProxy> {
    const { key, configuration } = await openSecrets(this.#parts.keyring, caller.tenantId, proxy);
    const isKeyShown = await this.#parts.database.forTenant(caller.tenantId, (tx) => maySeeKey(tx, caller, proxy));
    return {
      proxy,
      key: isKeyShown ? key.reveal() : undefined,
      configurationNames: Object.keys(configuration.reveal()).sort(),
    };
  }
}

/**
 * Returns the secrets after a change. They were given for one host. Without this check, a change of the destination would
 * send them to another.
 */
function toConfiguration(current: WholeProxy, { settings, configuration }: WantedProxy): Configuration {
  const kept = current.secrets.configuration.reveal();
  if (configuration !== undefined) return configuration;
  if (isSameHost(settings.destinationUrl, current.destinationUrl) || Object.keys(kept).length === 0) return kept;
  throw invalidField(
    'configuration',
    'must be sent again with a new host, because its secrets were meant for the old one',
  );
}

/** Throws if a proxy without API keys could show plaintext to anybody. */
function requireSafe({ requireAuth, applicationId, responseTransforms }: ProxySettings): void {
  if (requireAuth) return;
  if (applicationId === null) throw invalidField('application', 'is required if require_auth is false');
  if (responseTransforms.some(({ type }) => type === 'detokenize'))
    throw invalidField('require_auth', 'must be true for a proxy that detokenizes responses');
}

/** Throws unless the configuration has the secret with which callers prove who they are. */
function requireCheckable({ callerCheck }: ProxySettings, configuration: Configuration): void {
  if (callerCheck === null) return;
  const secret = Object.hasOwn(configuration, callerCheck.secret) ? configuration[callerCheck.secret] : undefined;
  if ((secret ?? '').length < callerSecretMin)
    throw invalidField(
      'caller_check.secret',
      `must be the name of a secret in configuration that has at least ${callerSecretMin} characters`,
    );
}

function isSame(one: Configuration, other: Configuration): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

function changedMeanwhile(): DomainError {
  return new DomainError(
    'version-conflict',
    'The proxy has been changed at the same time. Read it again and repeat the change.',
  );
}
