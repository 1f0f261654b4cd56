import { DomainError } from '../errors/domain-error.ts';

/** The number of days for which the keys and data of a deleted tenant are kept. */
export const deletedTenantDays = 7;

/** Returns the time when a tenant deleted at this time is removed for good. */
export function removalTimeOf(deletedAt: Date): Date {
  return new Date(deletedAt.getTime() + deletedTenantDays * 24 * 60 * 60_000);
}

/** Returns the error for keys and sessions of a deleted tenant. An operator sees it on the command line too. */
export function tenantDeleted(): DomainError {
  return new DomainError(
    'tenant-deleted',
    `The tenant was deleted. For ${deletedTenantDays} days, its owner can restore it in the portal, or an operator with \`strongroom tenants restore\`.`,
  );
}
