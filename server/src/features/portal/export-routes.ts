import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DomainError } from '../../core/errors/domain-error.ts';
import type { UserCaller } from '../../core/identity/caller.ts';
import { isUuid } from '../../core/identity/ids.ts';
import { formOf } from '../../http/form-body.ts';
import { pageOptions, sendPage } from '../../http/page-reply.ts';
import { renderExportsPage, type TenantExports } from './export-page.ts';
import type { Portal } from './portal.ts';
import { originOf, requireSession } from './portal-session-routes.ts';
import { mayApproveExports, type UserSession } from './user.ts';

/** Where people approve or refuse exports. */
export function addExportRoutes(app: FastifyInstance, portal: Portal): void {
  app.get('/portal/exports', pageOptions, async (request, reply) => {
    const session = await requireSession(portal, request);
    const tenants: TenantExports[] = [];
    for (const membership of session.memberships.filter(mayApproveExports)) {
      tenants.push({ membership, exports: await portal.exports.list(membership.tenantId) });
    }
    return sendPage(reply, renderExportsPage(session, tenants));
  });

  app.post('/portal/exports/approve', pageOptions, async (request, reply) => {
    const { caller, id, session } = await readDecision(portal, request);
    await portal.exports.approve(caller, id, requireProof(session));
    return reply.redirect('/portal/exports', 303);
  });

  app.post('/portal/exports/refuse', pageOptions, async (request, reply) => {
    const { caller, id } = await readDecision(portal, request);
    await portal.exports.refuse(caller.tenantId, id, caller);
    return reply.redirect('/portal/exports', 303);
  });
}

/** The caller and the export of a decision. */
async function readDecision(
  portal: Portal,
  request: FastifyRequest,
): Promise<{ caller: UserCaller; id: string; session: UserSession }> {
  const session = await requireSession(portal, request);
  const field = formOf(request);
  const membership = session.memberships.find(({ tenantId }) => tenantId === field('tenant'));
  const id = field('export');
  if (membership === undefined || !mayApproveExports(membership) || !isUuid(id)) {
    throw new DomainError('not-found', 'There is no such export.');
  }
  return { caller: { tenantId: membership.tenantId, userId: session.user.id, ...originOf(request) }, id, session };
}

/**
 * Only for users who have just authenticated: a session started with a link proves that an operator created a link,
 * one from a provider that did not ask proves that a browser was left open, and an old one may be someone
 * else's by now. Refusing needs no such proof, because it is harmless.
 * Returns when the sign-in method was set up.
 */
function requireProof({ isFresh, provenSince }: UserSession): Date {
  if (isFresh && provenSince !== null) return provenSince;
  throw new DomainError(
    'forbidden',
    'To approve an export, sign out and sign in again with your passkey, password or provider. A sign-in link is not enough, and neither is a provider that does not ask you to authenticate again.',
  );
}
