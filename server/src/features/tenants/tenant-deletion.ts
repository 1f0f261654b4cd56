import { DomainError, invalidField } from '../../core/errors/domain-error.ts';
import { tenantDeleted } from '../../core/identity/deleted-tenant.ts';
import { type Actor, actorIdOf, type Caller } from '../../core/identity/caller.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { type Operation, successEvent } from '../../platform/audit/record/audit-event.ts';
import { recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { requireOwnerAuthority } from '../members/index.ts';
import type { Tenant } from './tenant.ts';
import { listDueTenants } from './tenant-overview-store.ts';
import { TenantStore } from './tenant-store.ts';

/**
 * Deletes a tenant in two steps. A deleted tenant is rejected everywhere and can be restored for seven days. A removed
 * tenant has lost its keys, and with them all encrypted data. Callers need the authority of the owner for both steps.
 * The owner can take both steps at once, but only in the portal, because a key could read the name that is required as
 * confirmation.
 */
export class TenantDeletion {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Deletes the tenant, or removes it at once if the owner names it in the portal. */
  async delete(caller: Caller, confirmedName: string | undefined): Promise<void> {
    await this.#inTenant(caller.tenantId, async (tx, tenant, store) => {
      await requireOwnerAuthority(tx, caller, 'delete it');
      await requireNoHold(store);
      if (confirmedName !== undefined && !('userId' in caller)) throw onlyInPortal();
      if (confirmedName === undefined && tenant.deletedAt !== null) throw alreadyDeleted(caller);
      if (confirmedName !== undefined && confirmedName !== tenant.name) {
        throw invalidField('name', 'must be the name of the tenant, exactly as it is written');
      }
      if (tenant.deletedAt === null) {
        await store.markDeleted(actorIdOf(caller));
        await record(tx, tenant, { actor: caller, operation: 'delete' });
      }
      if (confirmedName === undefined) return;
      await store.remove();
      await record(tx, tenant, { actor: caller, operation: 'remove' });
    });
  }

  /** Restores the tenant. Only the owner in the portal can do this, because no key works until then. */
  async restore(caller: Caller): Promise<void> {
    await this.#inTenant(caller.tenantId, async (tx, tenant, store) => {
      await requireOwnerAuthority(tx, caller, 'restore it');
      await restore({ tx, tenant, store, actor: caller });
    });
  }

  async restoreByOperator(tenantId: TenantId): Promise<void> {
    await this.#inTenant(tenantId, (tx, tenant, store) => restore({ tx, tenant, store, actor: 'system' }));
  }

  /** Removes the tenants that were deleted more than seven days ago. */
  async removeDue(signal?: AbortSignal): Promise<void> {
    for (const tenantId of await this.#database.forSystem(listDueTenants)) {
      signal?.throwIfAborted();
      await this.#database.forTenant(tenantId, async (tx) => {
        const store = new TenantStore(tx, tenantId);
        // The tenant may have been restored or removed in the meantime.
        // A hold from before the deletion keeps what the tenant stores until it ends.
        if (!(await store.lockIfDue()) || (await store.hasHolds())) return;
        await store.remove();
        await record(tx, { id: tenantId }, { actor: 'system', operation: 'remove' });
      });
    }
  }

  async #inTenant(
    tenantId: TenantId,
    work: (tx: Transaction, tenant: Tenant, store: TenantStore) => Promise<void>,
  ): Promise<void> {
    await this.#database.forTenant(tenantId, async (tx) => {
      const store = new TenantStore(tx, tenantId);
      const tenant = await store.lock();
      if (tenant === undefined) throw new DomainError('not-found', 'There is no such tenant.');
      await work(tx, tenant, store);
    });
  }
}

/**
 * Returns the error for a tenant that is already deleted. A member is still signed in. A request with a key that
 * arrives too late is rejected like any other request with a key of the tenant.
 */
function alreadyDeleted(caller: Caller): DomainError {
  return 'userId' in caller
    ? invalidField('name', 'must be the name of the tenant, because the tenant is deleted already')
    : tenantDeleted();
}

async function requireNoHold(store: TenantStore): Promise<void> {
  if (!(await store.hasHolds())) return;
  throw new DomainError(
    'legal-hold',
    'A legal hold keeps tokens of this tenant. Lift it, or delete the tenant when it has ended.',
  );
}

function onlyInPortal(): DomainError {
  return new DomainError(
    'forbidden',
    'An API key cannot remove a tenant immediately. Leave out `name` to delete the tenant, so that it is removed after seven days, or ask the owner to remove it in the portal.',
  );
}

interface Restoration {
  readonly tx: Transaction;
  readonly tenant: Tenant;
  readonly store: TenantStore;
  readonly actor: Actor;
}

async function restore({ tx, tenant, store, actor }: Restoration): Promise<void> {
  if (tenant.deletedAt === null) {
    throw new DomainError('validation-failed', 'The tenant is not deleted, so there is nothing to restore.');
  }
  await store.restore();
  await record(tx, tenant, { actor, operation: 'restore' });
}

function record(
  tx: Transaction,
  { id }: Pick<Tenant, 'id'>,
  { actor, operation }: { readonly actor: Actor; readonly operation: Operation },
): Promise<void> {
  return recordInTransaction(tx, id, actor, successEvent('tenant', id, operation));
}
