import type { ApplicationType } from '../../api/applications';
import { api, type Schemas, unwrap } from '../../api/client';
import type { Rights } from './rights';
import type { Decision } from './words';

export type Target = { readonly token: string } | { readonly container: string };
export type Explanation = Schemas['AccessExplanation'];

/** Explains what a saved application may do with a token or in a container. */
export function explainApplication(applicationId: string, target: Target): Promise<Explanation> {
  return unwrap(api.POST('/access/explain', { body: { application_id: applicationId, ...toField(target) } }));
}

/**
 * Explains rights that nobody has yet. The vault explains every draft as a private application with at least one right,
 * so this function corrects the result for other types and for drafts without rights.
 */
export async function explainDraft(rights: Rights, type: ApplicationType, target: Target): Promise<Explanation> {
  const permissions = rights.permissions.filter(isAboutTokens);
  const rules = rights.rules.filter((rule) => rule.permissions.every(isAboutTokens));
  if (permissions.length === 0 && rules.length === 0) {
    return { decisions: tokenPermissions.map((permission) => ({ permission, is_allowed: false, reason: notGranted })) };
  }
  const explanation = await unwrap(api.POST('/access/explain', { body: { permissions, rules, ...toField(target) } }));
  return type === 'private' ? explanation : { ...explanation, decisions: explanation.decisions.map(asPublic) };
}

export function isAboutTokens(permission: string): boolean {
  return permission.startsWith('token:') || permission.startsWith('token-intent:');
}

const tokenPermissions = [
  'token:create',
  'token:read',
  'token:update',
  'token:delete',
  'token:search',
  'token:use',
] as const;
const notGranted = 'permission-not-granted';

function toField(target: Target) {
  return 'token' in target ? { token_id: target.token } : { container: target.container };
}

/** Corrects a decision. A plain update permission lets only private applications set masks. */
function asPublic(decision: Decision): Decision {
  if (decision.authors_views !== true || decision.is_plain_permission !== true) return decision;
  return { ...decision, authors_views: false, sees: { data: 'masked' } };
}
