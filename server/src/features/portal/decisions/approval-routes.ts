import type { FastifyInstance } from 'fastify';
import { pageOptions, sendPage } from '../../../http/pages/page-reply.ts';
import { approvalPagesMax } from '../../approvals/index.ts';
import { renderApprovalsPage, type TenantApprovals } from './approval-page.ts';
import type { Portal } from '../visits/portal.ts';
import { requireUsableSession } from '../visits/portal-session-routes.ts';
import { listDeciding, readDecision } from './decision-routes.ts';
import { requireProof } from '../people/require-proof.ts';

const decided = { field: 'request', noun: 'request for approval' };

/** Adds the pages where users approve or reject changes that would widen access to plaintext. */
export function addApprovalRoutes(app: FastifyInstance, portal: Portal): void {
  app.get<{ Querystring: { readonly page?: unknown } }>('/portal/approvals', pageOptions, async (request, reply) => {
    const session = await requireUsableSession(portal, request);
    const page = toPage(request.query.page);
    const tenants: TenantApprovals[] = [];
    for (const membership of listDeciding(session)) {
      tenants.push({ membership, ...(await portal.approvals.list(membership.tenantId, page)) });
    }
    return sendPage(
      reply,
      await renderApprovalsPage(session, tenants, { page, documentationUrl: portal.place.documentationUrl }),
    );
  });

  app.post('/portal/approvals/approve', pageOptions, async (request, reply) => {
    const { caller, id, session } = await readDecision(portal, request, decided);
    await portal.approvals.approve(caller, id, requireProof(session, 'a change'));
    return reply.redirect('/portal/approvals', 303);
  });

  app.post('/portal/approvals/refuse', pageOptions, async (request, reply) => {
    const { caller, id } = await readDecision(portal, request, decided);
    await portal.approvals.refuse(caller, id);
    return reply.redirect('/portal/approvals', 303);
  });
}

/** Parses a page number. Any other text selects the first page. */
function toPage(text: unknown): number {
  const page = typeof text === 'string' && /^\d{1,3}$/.test(text) ? Number(text) : 1;
  return page >= 1 && page <= approvalPagesMax ? page : 1;
}
