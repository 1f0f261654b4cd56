import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { NoParameters } from '../../http/parameters/query-parameters.ts';
import { type IdParameter, idParameter, requireUuid } from '../../http/parameters/uuid-parameter.ts';
import { noSuchInvitation } from './invitation.ts';
import type { PassedOnLinks } from './passed-on-link.ts';

const InvitationParameter = idParameter('Id of the invitation.');
const LinkView = Type.Object({ link: Type.String({ description: 'The link to pass on.' }) });

/**
 * Adds the route that shows the link of an invitation. It is for members only: a key is easier to steal than a recent
 * sign-in, and its holder could join as somebody else.
 */
export function addPassedOnLinkRoute(scope: FastifyInstance, links: PassedOnLinks): void {
  scope.post<{ Params: IdParameter }>(
    '/tenants/self/invitations/:id/link',
    {
      config: {
        permission: 'tenant:invitation:update',
        alsoNeeds: ['tenant:invitation:create'],
        isRepeatable: false,
        hasBody: false,
        operation: 'issue_link',
      },
      schema: { params: InvitationParameter, querystring: NoParameters, response: { 200: LinkView } },
    },
    async ({ caller, params }) => ({ link: await links.show(caller, requireUuid(params.id, noSuchInvitation)) }),
  );
}
