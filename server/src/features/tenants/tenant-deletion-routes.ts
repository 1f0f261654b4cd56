import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { NoParameters, queryParameters } from '../../http/parameters/query-parameters.ts';
import type { TenantDeletion } from './tenant-deletion.ts';
import { tenantExamples } from './tenant-examples.ts';

const DeletionQuery = queryParameters({
  name: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'The name of the tenant, to remove it at once instead of after seven days. This destroys its encryption keys and cannot be undone. Only the owner can, in the portal: with a key it is 403.',
    }),
  ),
});

export function addTenantDeletionRoute(app: FastifyInstance, deletion: TenantDeletion): void {
  app.delete<{ Querystring: Static<typeof DeletionQuery> }>(
    '/tenants/self',
    {
      config: {
        permission: 'tenant:delete',
        hasBody: false,
        worksOnDeletedTenant: true,
        problems: ['not-found', 'legal-hold'],
        examples: tenantExamples.deleteTenant,
      },
      schema: {
        operationId: 'deleteTenant',
        summary: 'Delete the tenant',
        description:
          'Deletes the tenant. All of its keys and sessions are refused from then on, with `tenant-deleted`. For seven days, the owner can restore it in the portal; after that its applications, its data and its encryption keys are removed. With `name`, the owner removes them at once in the portal, and nothing that was encrypted can be restored, not even from a backup that lacks the keys; a key cannot. Deleting needs an application that the owner or an operator gave its permissions, and a key that one of them created.',
        tags: ['Tenant'],
        querystring: DeletionQuery,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await deletion.delete(request.caller, request.query.name);
      return reply.code(204).send();
    },
  );
}

/** Adds the route to restore a tenant. It is for members only, because no key of a deleted tenant works. */
export function addTenantRestoreRoute(scope: FastifyInstance, deletion: TenantDeletion): void {
  scope.post(
    '/tenants/self/restore',
    {
      config: {
        permission: 'tenant:delete',
        hasBody: false,
        isRepeatable: false,
        worksOnDeletedTenant: true,
        operation: 'restore',
      },
      schema: { querystring: NoParameters, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      await deletion.restore(request.caller);
      return reply.code(204).send();
    },
  );
}
