import { DomainError } from '../../core/errors/domain-error.ts';
import { tenantDeleted } from '../../core/identity/deleted-tenant.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { Transaction } from './database.ts';

type TenantState = 'open' | 'deleted' | 'absent';

/** Returns the state of a tenant and locks its row, so that the state cannot change until the transaction ends. */
export async function holdTenantState(tx: Transaction, tenantId: TenantId): Promise<TenantState> {
  const [row] = await tx.query<{ isDeleted: boolean }>({
    text: 'select deleted_at is not null as "isDeleted" from tenants where id = $1 for share',
    values: [tenantId],
  });
  if (row === undefined) return 'absent';
  return row.isDeleted ? 'deleted' : 'open';
}

/** Makes other transactions that call this wait until this one ends. */
export async function lockTenant(tx: Transaction, tenantId: TenantId): Promise<void> {
  await tx.query({ text: 'select from tenants where id = $1 for no key update', values: [tenantId] });
}

/** Throws if the tenant does not exist or is deleted. An open tenant cannot be deleted before the transaction ends. */
export async function requireOpenTenant(tx: Transaction, tenantId: TenantId): Promise<void> {
  const state = await holdTenantState(tx, tenantId);
  if (state === 'deleted') throw tenantDeleted();
  if (state === 'absent') throw new DomainError('not-found', 'There is no such tenant.');
}
