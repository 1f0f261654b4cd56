import { DomainError, invalidField } from '../../core/errors/domain-error.ts';
import { actorIdOf, type Caller } from '../../core/identity/caller.ts';
import { type AuditEvent, type Operation, successEvent } from '../../platform/audit/record/audit-event.ts';
import { type AuditLog, recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import { toChangeDetails } from '../../platform/audit/record/change-details.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { type ApprovalRequest, ApprovalStore, requestApproval } from '../approvals/index.ts';
import { type Member, memberEvent, MemberStore } from '../members/index.ts';
import { settingsMax, type Tenant, type TokenCount } from './tenant.ts';
import {
  approvalSetting,
  isApprovalDemanded,
  listOpening,
  listSettingsChanges,
  providerSetting,
  requireKnownValues,
  type StoredSettings,
  toBasis,
  toCanonicalSettings,
} from './tenant-settings.ts';
import { TenantStore } from './tenant-store.ts';

/** A tenant, with its last request for settings that widen access to plaintext. */
export type ShownTenant = Tenant & { readonly approval: ApprovalRequest | undefined };

/** Manages the tenant of the calling key. A caller cannot name another tenant. */
export class TenantService {
  readonly #database: Database;
  readonly #audit: AuditLog;

  constructor(parts: { database: Database; audit: AuditLog }) {
    this.#database = parts.database;
    this.#audit = parts.audit;
  }

  async get(caller: Caller): Promise<ShownTenant> {
    const tenant = await this.#database.forTenant(caller.tenantId, (tx) => getShown(tx, caller));
    await this.#audit.append(caller, tenantEvent(caller, 'read'));
    return tenant;
  }

  /**
   * Updates the tenant. If it requires approvals, settings that open a way to plaintext are stored as a request.
   * Everything else takes effect.
   */
  async update(
    caller: Caller,
    change: { name: string; settings: Readonly<Record<string, string>> },
  ): Promise<{ readonly tenant: ShownTenant; readonly isPending: boolean }> {
    requireKnownValues(change.settings);
    requireProviderInUse(caller, change.settings);
    return this.#database.forTenant(caller.tenantId, async (tx) => {
      const store = new TenantStore(tx, caller.tenantId);
      const before = required(await store.lock());
      const approvals = new ApprovalStore(tx, caller.tenantId);
      const pending = isApprovalDemanded(before.settings) ? listOpening(before.settings, change.settings) : {};
      const isPending = Object.keys(pending).length > 0;
      const settings = Object.fromEntries(
        Object.entries(change.settings).filter(([name]) => !Object.hasOwn(pending, name)),
      );
      await store.update({ name: change.name, settings, modifiedBy: actorIdOf(caller) });
      const tenant = required(await store.find());
      // Settings are merged, so even a small request can exceed the limit.
      if (Object.keys(tenant.settings).length > settingsMax)
        throw invalidField('settings', `a tenant has at most ${settingsMax} settings`);
      await recordInTransaction(tx, caller.tenantId, caller, settingsEvent(before, tenant));
      if (isPending) await requestOpening(tx, caller, { tenant, pending });
      else if (Object.hasOwn(settings, approvalSetting)) await approvals.withdraw('settings', caller.tenantId);
      return { tenant: await getShown(tx, caller), isPending };
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

/**
 * Requires that whoever shuts out all other ways to sign in has just used the provider. Otherwise one wrong setting of
 * the provider would shut out every member.
 */
function requireProviderInUse(caller: Caller, { [providerSetting]: value }: StoredSettings): void {
  if (value !== 'true' || ('userId' in caller && caller.isByProvider)) return;
  throw invalidField(`settings.${providerSetting}`, 'can be turned on only by a member who signed in at the provider');
}

function tenantEvent(caller: Caller, operation: Operation): AuditEvent {
  return successEvent('tenant', caller.tenantId, operation);
}

async function getShown(tx: Transaction, { tenantId }: Caller): Promise<ShownTenant> {
  const tenant = required(await new TenantStore(tx, tenantId).find());
  const [approval] = await new ApprovalStore(tx, tenantId).listLatest([tenantId]);
  return { ...tenant, approval };
}

async function requestOpening(
  tx: Transaction,
  caller: Caller,
  { tenant: { settings }, pending }: { readonly tenant: Tenant; readonly pending: StoredSettings },
): Promise<void> {
  const wanted = { ...settings, ...pending };
  await requestApproval(tx, caller, {
    kind: 'settings',
    subjectId: caller.tenantId,
    change: pending,
    basis: toBasis(settings, pending),
    details: toChangeDetails(listSettingsChanges(settings, wanted), toCanonicalSettings(wanted)),
  });
}

/** Returns the audit event for an update. If only the name has changed, the operation is not `configure`. */
export function settingsEvent(before: Tenant, after: Tenant): AuditEvent {
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
