import type { FastifyInstance } from 'fastify';
import { pageOptions, sendPage } from '../../../http/pages/page-reply.ts';
import { renderExportsPage, type TenantExports } from './export-page.ts';
import type { Portal } from '../visits/portal.ts';
import { requireUsableSession } from '../visits/portal-session-routes.ts';
import { listDeciding, readDecision } from './decision-routes.ts';
import { requireProof } from '../people/require-proof.ts';

const decided = { field: 'export', noun: 'export' };

/** Adds the pages where users approve or reject exports. */
export function addExportRoutes(app: FastifyInstance, portal: Portal): void {
  app.get('/portal/exports', pageOptions, async (request, reply) => {
    const session = await requireUsableSession(portal, request);
    const tenants: TenantExports[] = [];
    for (const membership of listDeciding(session)) {
      tenants.push({ membership, exports: await portal.exports.list(membership.tenantId) });
    }
    return sendPage(reply, renderExportsPage(session, tenants, portal.place.documentationUrl));
  });

  app.post('/portal/exports/approve', pageOptions, async (request, reply) => {
    const { caller, id, session } = await readDecision(portal, request, decided);
    await portal.exports.approve(caller, id, requireProof(session, 'an export'));
    return reply.redirect('/portal/exports', 303);
  });

  app.post('/portal/exports/refuse', pageOptions, async (request, reply) => {
    const { caller, id } = await readDecision(portal, request, decided);
    await portal.exports.refuse(caller.tenantId, id, caller);
    return reply.redirect('/portal/exports', 303);
  });
}
