import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { keepOutcome, shownAgain } from '../../http/requests/idempotency.ts';
import { parsePageRequest, toPaginationView } from '../../http/parameters/pagination.ts';
import { type IdParameter, idParameter, requireUuid } from '../../http/parameters/uuid-parameter.ts';
import { noSuchInvitation } from './invitation.ts';
import {
  CreateInvitation,
  InvitationPage,
  InvitationQuery,
  InvitationView,
  toInvitationView,
  toNewInvitation,
} from './invitation-schemas.ts';
import type { InvitationService, ShownInvitation } from './invitation-service.ts';
import { invitationExamples } from './invitation-examples.ts';

const InvitationParameter = idParameter('Id of the invitation.');

const tags = ['Invitations'] as const;

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
        problems: ['not-found', 'already-invited', 'already-a-member'],
        examples: invitationExamples.createInvitation,
      },
      schema: {
        operationId: 'createInvitation',
        summary: 'Invite somebody',
        description:
          'Invites a person to the tenant and sends a link by mail, which is valid for 72 hours. The link is never part of a response. In a tenant with `approve_plaintext`, an admin is invited once that is approved: the response is 202, and until then there is no link.',
        tags,
        body: CreateInvitation,
        response: { 201: InvitationView, 202: InvitationView },
      },
    },
    async (request, reply) => {
      const { caller } = request;
      const invitation = await invitations.create(caller.tenantId, caller, toNewInvitation(request.body));
      keepOutcome(reply, { id: invitation.id });
      return reply.code(isPending(invitation) ? 202 : 201).send(toInvitationView(invitation));
    },
  );

  app.post<{ Params: IdParameter }>(
    '/tenants/self/invitations/:id/resend',
    {
      config: {
        permission: 'tenant:invitation:update',
        // A new link is equivalent to an invitation.
        alsoNeeds: ['tenant:invitation:create'],
        rateLimit: 'mail',
        hasBody: false,
        showAgain: shownAgain<{ id: string }>(async (caller, { id }) =>
          toInvitationView(await invitations.get(caller, id)),
        ),
        examples: invitationExamples.resendInvitation,
      },
      schema: {
        operationId: 'resendInvitation',
        summary: 'Resend an invitation',
        description:
          'Sends a new link, valid for another 72 hours. Earlier links stop working. In a tenant with `approve_plaintext`, an invitation of an admin that nobody has approved has to be approved first: the response is 202.',
        tags,
        params: InvitationParameter,
        response: { 200: InvitationView, 202: InvitationView },
      },
    },
    async (request, reply) => {
      const invitation = await invitations.resend(request.caller, requireUuid(request.params.id, noSuchInvitation));
      keepOutcome(reply, { id: invitation.id });
      return reply.code(isPending(invitation) ? 202 : 200).send(toInvitationView(invitation));
    },
  );

  app.get<{ Querystring: Static<typeof InvitationQuery> }>(
    '/tenants/self/invitations',
    {
      config: { permission: 'tenant:invitation:read', examples: invitationExamples.listInvitations },
      schema: {
        operationId: 'listInvitations',
        summary: 'List invitations',
        description: 'Returns the invitations that nobody has accepted yet, newest first.',
        tags,
        querystring: InvitationQuery,
        response: { 200: InvitationPage },
      },
    },
    async (request) => {
      const page = parsePageRequest(request.query);
      const { totalItems, items } = await invitations.list(request.caller, request.query.status, page);
      return { pagination: toPaginationView(page, totalItems), data: items.map(toInvitationView) };
    },
  );

  app.get<{ Params: IdParameter }>(
    '/tenants/self/invitations/:id',
    {
      config: { permission: 'tenant:invitation:read', examples: invitationExamples.getInvitation },
      schema: {
        operationId: 'getInvitation',
        summary: 'Get an invitation',
        description: 'Returns an invitation, without its link.',
        tags,
        params: InvitationParameter,
        response: { 200: InvitationView },
      },
    },
    async (request) => {
      const id = requireUuid(request.params.id, noSuchInvitation);
      return toInvitationView(await invitations.get(request.caller, id));
    },
  );

  app.delete<{ Params: IdParameter }>(
    '/tenants/self/invitations/:id',
    {
      config: { permission: 'tenant:invitation:delete', hasBody: false, examples: invitationExamples.deleteInvitation },
      schema: {
        operationId: 'deleteInvitation',
        summary: 'Delete an invitation',
        description: 'Withdraws an invitation. Its link stops working.',
        tags,
        params: InvitationParameter,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await invitations.delete(request.caller, requireUuid(request.params.id, noSuchInvitation));
      return reply.code(204).send();
    },
  );
}

function isPending({ approval }: ShownInvitation): boolean {
  return approval?.status === 'pending';
}
