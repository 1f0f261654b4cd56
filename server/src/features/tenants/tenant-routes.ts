import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { keepOutcome, shownAgain } from '../../http/idempotency.ts';
import { MemberView, toMemberView } from '../members/index.ts';
import {
  TenantView,
  toTenantChange,
  toTenantView,
  toUsageReport,
  UpdateTenant,
  UsageReport,
} from './tenant-schemas.ts';
import type { TenantService } from './tenant-service.ts';
import { tenantExamples } from './tenant-examples.ts';

export function addTenantRoutes(app: FastifyInstance, tenants: TenantService): void {
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
          'Changes the name of the tenant and merges its settings with those of the request. A setting cannot be removed, only changed.',
        tags: ['Tenant'],
        body: UpdateTenant,
        response: { 200: TenantView },
      },
    },
    async (request, reply) => {
      const tenant = await tenants.update(request.caller, toTenantChange(request.body));
      keepOutcome(reply, null);
      return toTenantView(tenant);
    },
  );

  app.delete(
    '/tenants/self',
    {
      config: {
        permission: 'tenant:delete',
        hasBody: false,
        problems: ['not-found'],
        examples: tenantExamples.deleteTenant,
      },
      schema: {
        operationId: 'deleteTenant',
        summary: 'Delete the tenant',
        description:
          'Deletes the tenant, its applications and its encryption keys, and with those everything that was encrypted. It cannot be restored, not even from a backup that lacks the keys.',
        tags: ['Tenant'],
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await tenants.delete(request.caller);
      return reply.code(204).send();
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
}
