import type { FastifyRequest } from 'fastify';
import { DomainError } from '../../../core/errors/domain-error.ts';
import type { UserCaller } from '../../../core/identity/caller.ts';
import { isUuid } from '../../../core/identity/ids.ts';
import { formOf } from '../../../http/bodies/form-body.ts';
import { isConfinedIn, requireUnconfined } from '../people/confined-session.ts';
import type { Portal } from '../visits/portal.ts';
import { originOf, requireSession } from '../visits/portal-session-routes.ts';
import { mayApprove, type Membership, type UserSession } from '../people/user.ts';

/** Returns the tenants in which the user can approve and reject with this session. */
export function listDeciding(session: UserSession): Membership[] {
  return session.memberships.filter((one) => mayApprove(one) && !isConfinedIn(session, one));
}

/**
 * Returns the deciding user and the id of the subject. `field` names the form input with the id, and `noun` names the
 * kind of subject.
 */
export async function readDecision(
  portal: Portal,
  request: FastifyRequest,
  { field: name, noun }: { readonly field: string; readonly noun: string },
): Promise<{ caller: UserCaller; id: string; session: UserSession }> {
  const session = await requireSession(portal, request);
  const field = formOf(request);
  const membership = session.memberships.find(({ tenantId }) => tenantId === field('tenant'));
  const id = field(name);
  if (membership === undefined || !mayApprove(membership) || !isUuid(id)) {
    throw new DomainError('not-found', `There is no such ${noun}.`);
  }
  requireUnconfined(session, membership);
  return { caller: { tenantId: membership.tenantId, userId: session.user.id, ...originOf(request) }, id, session };
}
