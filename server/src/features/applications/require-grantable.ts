import { toRules } from '../../core/access/decide-access.ts';
import type { HeldRights } from '../../core/access/grant-limit.ts';
import type { Permission } from '../../core/access/permission.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import { type Authority, grantablePermissions } from '../members/index.ts';

/**
 * Throws if somebody grants what their own role lacks: to an application, by a rule, by what it may grant in turn, or by a key of an
 * application that has it already.
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
