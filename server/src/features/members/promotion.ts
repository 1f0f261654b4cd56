import { type PlaintextRights, widensPlaintext } from '../../core/rights-change/widens-plaintext.ts';
import type { Role } from './member.ts';
import { rolePermissions } from './role-permissions.ts';

/** Whether a role may do what widens access to plaintext, and another may not: undefined stands for no member. */
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

/** What such a role amounts to, for people who decide whether somebody gets it. */
export const promotionSentences: readonly string[] = [
  'They could create applications, give them access to plaintext, and invite people, each with the approval of another owner or admin.',
  'They could approve such changes and exports that others request.',
];
