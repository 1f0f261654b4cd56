import { toRules } from '../../core/access/decide-access.ts';
import type { HeldRights } from '../../core/access/grant-limit.ts';
import type { Permission } from '../../core/access/permission.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import { type Authority, grantablePermissions } from '../members/index.ts';

/**
 * Throws if somebody grants a right that their own role lacks. Rights can be granted to an application directly, by a
 * rule, by its grant limit, or by a key for an application that already has them.
 */
export function requireGrantable({ as }: Authority, rights: Omit<HeldRights, 'type'>): void {
  const grantable = grantablePermissions[as === 'ADMIN' ? 'ADMIN' : 'OWNER'];
  const excess = listPermissions(rights).find((permission) => !grantable.has(permission));
  if (excess === undefined) return;
  throw new DomainError(
    'forbidden',
    `Only the owner of the tenant can grant ${excess}, or create a key of an application that has it.`,
  );
}

function listPermissions({ permissions, rules, grantLimit }: Omit<HeldRights, 'type'>): Permission[] {
  return [...toRules(permissions, rules).flatMap((rule) => rule.permissions), ...(grantLimit?.permissions ?? [])];
}
