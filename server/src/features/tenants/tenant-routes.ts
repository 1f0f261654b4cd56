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

export function addTenantRoutes(app: FastifyInstance, tenants: TenantService): void {
  app.get(
    '/tenants/self',
    {
      config: { permission: 'tenant:read' },
      schema: { operationId: 'getTenant', tags: ['Tenant'], response: { 200: TenantView } },
    },
    async (request) => toTenantView(await tenants.get(request.caller)),
  );

  app.put<{ Body: Static<typeof UpdateTenant> }>(
    '/tenants/self',
    {
      config: {
        permission: 'tenant:update',
        showAgain: shownAgain<null>(async (caller) => toTenantView(await tenants.get(caller))),
      },
      schema: { operationId: 'updateTenant', tags: ['Tenant'], body: UpdateTenant, response: { 200: TenantView } },
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
      config: { permission: 'tenant:delete', hasBody: false },
      schema: { operationId: 'deleteTenant', tags: ['Tenant'], response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      await tenants.delete(request.caller);
      return reply.code(204).send();
    },
  );

  app.get(
    '/tenants/self/owner',
    {
      config: { permission: 'tenant:member:read' },
      schema: { operationId: 'getTenantOwner', tags: ['Tenant'], response: { 200: MemberView } },
    },
    async (request) => toMemberView(await tenants.getOwner(request.caller)),
  );

  app.get(
    '/tenants/self/reports/usage',
    {
      config: { permission: 'report:read' },
      schema: { operationId: 'getUsageReport', tags: ['Tenant'], response: { 200: UsageReport } },
    },
    async (request) => toUsageReport(await tenants.reportUsage(request.caller)),
  );
}
