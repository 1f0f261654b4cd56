import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { keepOutcome, shownAgain } from '../../http/requests/idempotency.ts';
import { parsePageRequest, toPaginationView } from '../../http/parameters/pagination.ts';
import { type IdParameter, idParameter, requireUuid } from '../../http/parameters/uuid-parameter.ts';
import { noSuchMember } from './member.ts';
import {
  MemberPage,
  MemberQuery,
  MemberView,
  memberSizeMax,
  parseUserIds,
  toMemberView,
  UpdateMember,
} from './member-schemas.ts';
import type { MemberService } from './member-service.ts';
import { memberExamples } from './member-examples.ts';

const MemberParameter = idParameter('Id of the member.');

export function addMemberRoutes(app: FastifyInstance, members: MemberService): void {
  app.get<{ Querystring: Static<typeof MemberQuery> }>(
    '/tenants/self/members',
    {
      config: { permission: 'tenant:member:read', examples: memberExamples.listMembers },
      schema: {
        operationId: 'listMembers',
        summary: 'List members',
        description: 'Returns the people who belong to the tenant, newest first.',
        tags: ['Members'],
        querystring: MemberQuery,
        response: { 200: MemberPage },
      },
    },
    async (request) => {
      const page = parsePageRequest(request.query, memberSizeMax);
      const { totalItems, items } = await members.list(request.caller, parseUserIds(request.query), page);
      return { pagination: toPaginationView(page, totalItems), data: items.map(toMemberView) };
    },
  );

  app.put<{ Params: IdParameter; Body: Static<typeof UpdateMember> }>(
    '/tenants/self/members/:id',
    {
      config: {
        permission: 'tenant:member:update',
        // Published clients send the second media type.
        mediaTypes: ['application/json', 'application/json-patch+json'],
        showAgain: shownAgain<{ id: string }>(async (caller, { id }) => toMemberView(await members.get(caller, id))),
        examples: memberExamples.updateMember,
      },
      schema: {
        operationId: 'updateMember',
        summary: 'Update a member',
        description:
          'Changes the role of a member. Making a member the owner makes the previous owner an admin. In a tenant with `approve_plaintext`, a role that may widen access to plaintext takes effect once it is approved; until then the response is 202, and the member keeps the old role.',
        tags: ['Members'],
        params: MemberParameter,
        body: UpdateMember,
        response: { 200: MemberView, 202: MemberView },
      },
    },
    async (request, reply) => {
      const id = requireUuid(request.params.id, noSuchMember);
      const member = await members.changeRole(request.caller, id, request.body.role);
      keepOutcome(reply, { id: member.id });
      return reply.code(member.approval?.status === 'pending' ? 202 : 200).send(toMemberView(member));
    },
  );

  app.delete<{ Params: IdParameter }>(
    '/tenants/self/members/:id',
    {
      config: {
        permission: 'tenant:member:delete',
        hasBody: false,
        problems: ['owner-undeletable'],
        examples: memberExamples.deleteMember,
      },
      schema: {
        operationId: 'deleteMember',
        summary: 'Delete a member',
        description: 'Removes a person from the tenant and ends their sessions. The owner cannot be removed.',
        tags: ['Members'],
        params: MemberParameter,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await members.delete(request.caller, requireUuid(request.params.id, noSuchMember));
      return reply.code(204).send();
    },
  );
}
