import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { keepOutcome, shownAgain } from '../../http/idempotency.ts';
import { parsePageRequest, toPaginationView } from '../../http/pagination.ts';
import { IdParameter, requireUuid } from '../../http/uuid-parameter.ts';
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

export function addMemberRoutes(app: FastifyInstance, members: MemberService): void {
  app.get<{ Querystring: Static<typeof MemberQuery> }>(
    '/tenants/self/members',
    {
      config: { permission: 'tenant:member:read' },
      schema: {
        operationId: 'listMembers',
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

  app.put<{ Params: Static<typeof IdParameter>; Body: Static<typeof UpdateMember> }>(
    '/tenants/self/members/:id',
    {
      config: {
        permission: 'tenant:member:update',
        // Published clients send the second one.
        mediaTypes: ['application/json', 'application/json-patch+json'],
        showAgain: shownAgain<{ id: string }>(async (caller, { id }) => toMemberView(await members.get(caller, id))),
      },
      schema: {
        operationId: 'updateMember',
        tags: ['Members'],
        params: IdParameter,
        body: UpdateMember,
        response: { 200: MemberView },
      },
    },
    async (request, reply) => {
      const id = requireUuid(request.params.id, noSuchMember);
      const member = await members.changeRole(request.caller, id, request.body.role);
      keepOutcome(reply, { id: member.id });
      return toMemberView(member);
    },
  );

  app.delete<{ Params: Static<typeof IdParameter> }>(
    '/tenants/self/members/:id',
    {
      config: { permission: 'tenant:member:delete', hasBody: false, problems: ['owner-undeletable'] },
      schema: { operationId: 'deleteMember', tags: ['Members'], params: IdParameter, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      await members.delete(request.caller, requireUuid(request.params.id, noSuchMember));
      return reply.code(204).send();
    },
  );
}
