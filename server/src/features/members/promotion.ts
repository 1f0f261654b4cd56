import { type PlaintextRights, widensPlaintext } from '../../core/rights-change/widens-plaintext.ts';
import type { Role } from './member.ts';
import { rolePermissions } from './role-permissions.ts';

/** Returns true if the new role may widen access to plaintext and the old one may not. Undefined means no member. */
export function isPromotion(before: Role | undefined, after: Role): boolean {
  return widensPlaintext(before === undefined ? undefined : toRights(before), toRights(after));
}

function toRights(role: Role): PlaintextRights {
  return {
    type: 'management',
    permissions: rolePermissions[role],
    rules: [],
    grantLimit: null,
    expiresAt: null,
    allowedDestinations: null,
  };
}

/** The effects of such a role, for the people who decide whether to grant it. */
export const promotionSentences: readonly string[] = [
  'They could create applications, give them access to plaintext, and invite people, each with the approval of another owner or admin.',
  'They could approve such changes and exports that others request.',
];
