import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { keepOutcome, shownAgain } from '../../http/idempotency.ts';
import { parsePageRequest, toPaginationView } from '../../http/pagination.ts';
import { IdParameter, requireUuid } from '../../http/uuid-parameter.ts';
import { noSuchInvitation } from './invitation.ts';
import {
  CreateInvitation,
  InvitationPage,
  InvitationQuery,
  InvitationView,
  toInvitationView,
  toNewInvitation,
} from './invitation-schemas.ts';
import type { InvitationService } from './invitation-service.ts';

const tags = ['Invitations'];

export function addInvitationRoutes(app: FastifyInstance, invitations: InvitationService): void {
  app.post<{ Body: Static<typeof CreateInvitation> }>(
    '/tenants/self/invitations',
    {
      config: {
        permission: 'tenant:invitation:create',
        rateLimit: 'mail',
        showAgain: shownAgain<{ id: string }>(async (caller, { id }) =>
          toInvitationView(await invitations.get(caller, id)),
        ),
        problems: ['already-invited', 'already-a-member'],
      },
      schema: { operationId: 'createInvitation', tags, body: CreateInvitation, response: { 201: InvitationView } },
    },
    async (request, reply) => {
      const { caller } = request;
      const invitation = await invitations.create(caller.tenantId, caller, toNewInvitation(request.body));
      keepOutcome(reply, { id: invitation.id });
      return reply.code(201).send(toInvitationView(invitation));
    },
  );

  app.post<{ Params: Static<typeof IdParameter> }>(
    '/tenants/self/invitations/:id/resend',
    {
      config: {
        permission: 'tenant:invitation:update',
        rateLimit: 'mail',
        hasBody: false,
        showAgain: shownAgain<{ id: string }>(async (caller, { id }) =>
          toInvitationView(await invitations.getResent(caller, id)),
        ),
      },
      schema: { operationId: 'resendInvitation', tags, params: IdParameter, response: { 200: InvitationView } },
    },
    async (request, reply) => {
      const invitation = await invitations.resend(request.caller, requireUuid(request.params.id, noSuchInvitation));
      keepOutcome(reply, { id: invitation.id });
      return toInvitationView(invitation);
    },
  );

  app.get<{ Querystring: Static<typeof InvitationQuery> }>(
    '/tenants/self/invitations',
    {
      config: { permission: 'tenant:invitation:read' },
      schema: { operationId: 'listInvitations', tags, querystring: InvitationQuery, response: { 200: InvitationPage } },
    },
    async (request) => {
      const page = parsePageRequest(request.query);
      const { totalItems, items } = await invitations.list(request.caller, request.query.status, page);
      return { pagination: toPaginationView(page, totalItems), data: items.map(toInvitationView) };
    },
  );

  app.get<{ Params: Static<typeof IdParameter> }>(
    '/tenants/self/invitations/:id',
    {
      config: { permission: 'tenant:invitation:read' },
      schema: { operationId: 'getInvitation', tags, params: IdParameter, response: { 200: InvitationView } },
    },
    async (request) => {
      const id = requireUuid(request.params.id, noSuchInvitation);
      return toInvitationView(await invitations.get(request.caller, id));
    },
  );

  app.delete<{ Params: Static<typeof IdParameter> }>(
    '/tenants/self/invitations/:id',
    {
      config: { permission: 'tenant:invitation:delete', hasBody: false },
      schema: { operationId: 'deleteInvitation', tags, params: IdParameter, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      await invitations.delete(request.caller, requireUuid(request.params.id, noSuchInvitation));
      return reply.code(204).send();
    },
  );
}
