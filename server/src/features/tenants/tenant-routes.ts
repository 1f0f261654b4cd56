import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { keepOutcome, shownAgain } from '../../http/requests/idempotency.ts';
import { MemberView, toMemberView } from '../members/index.ts';
import {
  TenantView,
  toTenantChange,
  toTenantView,
  toUsageReport,
  UpdateTenant,
  UsageReport,
} from './tenant-schemas.ts';
import type { TenantDeletion } from './tenant-deletion.ts';
import { addTenantDeletionRoute } from './tenant-deletion-routes.ts';
import type { TenantService } from './tenant-service.ts';
import { tenantExamples } from './tenant-examples.ts';

export function addTenantRoutes(
  app: FastifyInstance,
  { tenants, deletion }: { readonly tenants: TenantService; readonly deletion: TenantDeletion },
): void {
  app.get(
    '/tenants/self',
    {
      config: { permission: 'tenant:read', problems: ['not-found'], examples: tenantExamples.getTenant },
      schema: {
        operationId: 'getTenant',
        summary: 'Get the tenant',
        description: 'Returns the tenant that the key belongs to.',
        tags: ['Tenant'],
        response: { 200: TenantView },
      },
    },
    async (request) => toTenantView(await tenants.get(request.caller)),
  );

  app.put<{ Body: Static<typeof UpdateTenant> }>(
    '/tenants/self',
    {
      config: {
        permission: 'tenant:update',
        showAgain: shownAgain<null>(async (caller) => toTenantView(await tenants.get(caller))),
        problems: ['not-found'],
        examples: tenantExamples.updateTenant,
      },
      schema: {
        operationId: 'updateTenant',
        summary: 'Update the tenant',
        description:
          'Changes the name of the tenant and merges its settings with those of the request. A setting cannot be removed, only changed. Turning `approve_plaintext` off has to be approved itself: the response is 202, and it stays on until then.',
        tags: ['Tenant'],
        body: UpdateTenant,
        response: { 200: TenantView, 202: TenantView },
      },
    },
    async (request, reply) => {
      const { tenant, isPending } = await tenants.update(request.caller, toTenantChange(request.body));
      keepOutcome(reply, null);
      return reply.code(isPending ? 202 : 200).send(toTenantView(tenant));
    },
  );

  app.get(
    '/tenants/self/owner',
    {
      config: { permission: 'tenant:member:read', problems: ['not-found'], examples: tenantExamples.getTenantOwner },
      schema: {
        operationId: 'getTenantOwner',
        summary: 'Get the owner',
        description: 'Returns the member who owns the tenant.',
        tags: ['Tenant'],
        response: { 200: MemberView },
      },
    },
    async (request) => toMemberView(await tenants.getOwner(request.caller)),
  );

  app.get(
    '/tenants/self/reports/usage',
    {
      config: { permission: 'report:read', examples: tenantExamples.getUsageReport },
      schema: {
        operationId: 'getUsageReport',
        summary: 'Get a usage report',
        description: 'Returns how many tokens the tenant has, by type.',
        tags: ['Tenant'],
        response: { 200: UsageReport },
      },
    },
    async (request) => toUsageReport(await tenants.reportUsage(request.caller)),
  );

  addTenantDeletionRoute(app, deletion);
}
