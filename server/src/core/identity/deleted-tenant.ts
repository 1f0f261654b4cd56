import { DomainError } from '../errors/domain-error.ts';

/** How long the keys and data of a deleted tenant are kept. */
export const deletedTenantDays = 7;

/** When a tenant that was deleted at this time is removed for good. */
export function removalTimeOf(deletedAt: Date): Date {
  return new Date(deletedAt.getTime() + deletedTenantDays * 24 * 60 * 60_000);
}

/** The response to keys and sessions of a deleted tenant, and what an operator sees on the command line. */
export function tenantDeleted(): DomainError {
  return new DomainError(
    'tenant-deleted',
    `The tenant was deleted. For ${deletedTenantDays} days, its owner can restore it in the portal, or an operator with \`strongroom tenants restore\`.`,
  );
}
