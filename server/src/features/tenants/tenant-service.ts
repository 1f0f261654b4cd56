import { DomainError, invalidField } from '../../core/errors/domain-error.ts';
import { actorIdOf, type Caller } from '../../core/identity/caller.ts';
import { type AuditEvent, type Operation, successEvent } from '../../platform/audit/audit-event.ts';
import { type AuditLog, recordInTransaction } from '../../platform/audit/audit-log.ts';
import { toChangeDetails } from '../../platform/audit/change-details.ts';
import type { Database } from '../../platform/database/database.ts';
import { type Member, memberEvent, MemberStore } from '../members/index.ts';
import { settingsMax, type Tenant, type TokenCount } from './tenant.ts';
import { listSettingsChanges, requireKnownValues, toCanonicalSettings } from './tenant-settings.ts';
import { TenantStore } from './tenant-store.ts';

/** The tenant of the calling key: no other can be named. */
export class TenantService {
  readonly #database: Database;
  readonly #audit: AuditLog;

  constructor(parts: { database: Database; audit: AuditLog }) {
    this.#database = parts.database;
    this.#audit = parts.audit;
  }

  async get(caller: Caller): Promise<Tenant> {
    const tenant = await this.#read(caller, (store) => store.find());
    await this.#audit.append(caller, tenantEvent(caller, 'read'));
    return tenant;
  }

  async update(caller: Caller, change: { name: string; settings: Readonly<Record<string, string>> }): Promise<Tenant> {
    requireKnownValues(change.settings);
    return this.#database.forTenant(caller.tenantId, async (tx) => {
      const store = new TenantStore(tx, caller.tenantId);
      const before = required(await store.lock());
      await store.update({ ...change, modifiedBy: actorIdOf(caller) });
      const tenant = required(await store.find());
      // Settings are merged, so even a small request can exceed the limit.
      if (Object.keys(tenant.settings).length > settingsMax)
        throw invalidField('settings', `a tenant has at most ${settingsMax} settings`);
      await recordInTransaction(tx, caller.tenantId, caller, settingsEvent(before, tenant));
      return tenant;
    });
  }

  /** Destroys the tenant's keys, and with them all data encrypted with them. */
  async delete(caller: Caller): Promise<void> {
    await this.#database.forTenant(caller.tenantId, async (tx) => {
      if (!(await new TenantStore(tx, caller.tenantId).delete())) throw noSuchTenant();
      await recordInTransaction(tx, caller.tenantId, caller, tenantEvent(caller, 'delete'));
    });
  }

  async getOwner(caller: Caller): Promise<Member> {
    const owner = required(
      await this.#database.forTenant(caller.tenantId, (tx) => new MemberStore(tx, caller.tenantId).findOwner()),
    );
    await this.#audit.append(caller, memberEvent(owner.id, 'read'));
    return owner;
  }

  async reportUsage(caller: Caller): Promise<readonly TokenCount[]> {
    const counts = await this.#read(caller, (store) => store.countTokensByType());
    await this.#audit.append(caller, tenantEvent(caller, 'read'));
    return counts;
  }

  async #read<T>(caller: Caller, read: (store: TenantStore) => Promise<T | undefined>): Promise<T> {
    return required(
      await this.#database.forTenant(caller.tenantId, (tx) => read(new TenantStore(tx, caller.tenantId))),
    );
  }
}

function tenantEvent(caller: Caller, operation: Operation): AuditEvent {
  return successEvent('tenant', caller.tenantId, operation);
}

/** A change of the name alone is none of the settings. */
function settingsEvent(before: Tenant, after: Tenant): AuditEvent {
  const changes = listSettingsChanges(before.settings, after.settings);
  return {
    ...successEvent('tenant', after.id, changes.length === 0 ? 'update' : 'configure'),
    details: toChangeDetails(changes, toCanonicalSettings(after.settings)),
  };
}

function required<T>(found: T | undefined): T {
  if (found === undefined) throw noSuchTenant();
  return found;
}

function noSuchTenant(): DomainError {
  return new DomainError('not-found', 'There is no such tenant.');
}
