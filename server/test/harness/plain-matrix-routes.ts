import type { MatrixRoute } from './permission-matrix.ts';

/** A request that needs nothing to be made beforehand. */
export const at = (path: string, body?: unknown) => async () => (body === undefined ? { path } : { path, body });

/** Routes about the tenant as a whole, and what is the same for every tenant. */
export const plainRoutes: readonly MatrixRoute[] = [
  {
    method: 'GET',
    path: '/tenants/self',
    needs: 'tenant:read',
    status: 200,
    scope: 'plain',
    prepare: at('/tenants/self'),
  },
  {
    method: 'PUT',
    path: '/tenants/self',
    needs: 'tenant:update',
    status: 200,
    scope: 'plain',
    prepare: at('/tenants/self', { name: 'Same' }),
  },
  {
    method: 'DELETE',
    path: '/tenants/self',
    needs: 'tenant:delete',
    status: 204,
    scope: 'plain',
    prepare: at('/tenants/self'),
  },
  { method: 'GET', path: '/logs', needs: 'log:read', status: 200, scope: 'plain', prepare: at('/logs') },
  { method: 'GET', path: '/logs/export', needs: 'log:read', status: 200, scope: 'plain', prepare: at('/logs/export') },
  {
    method: 'GET',
    path: '/logs/entity-types',
    needs: 'log:read',
    status: 200,
    scope: 'plain',
    prepare: at('/logs/entity-types'),
  },
  {
    method: 'GET',
    path: '/logs/exposure',
    needs: 'log:read',
    status: 200,
    scope: 'plain',
    prepare: at('/logs/exposure?source_address=127.0.0.1'),
  },
  {
    method: 'GET',
    path: '/logs/viewers',
    needs: 'log:read',
    status: 200,
    scope: 'plain',
    prepare: at('/logs/viewers?token_id=none'),
  },
  {
    method: 'GET',
    path: '/tenants/self/owner',
    needs: 'tenant:member:read',
    status: 200,
    scope: 'plain',
    prepare: at('/tenants/self/owner'),
  },
  {
    method: 'GET',
    path: '/tenants/self/reports/usage',
    needs: 'report:read',
    status: 200,
    scope: 'plain',
    prepare: at('/tenants/self/reports/usage'),
  },
  { method: 'GET', path: '/permissions', needs: 'any-key', status: 200, scope: 'plain', prepare: at('/permissions') },
  { method: 'GET', path: '/roles', needs: 'any-key', status: 200, scope: 'plain', prepare: at('/roles') },
  {
    method: 'GET',
    path: '/application-templates',
    needs: 'any-key',
    status: 200,
    scope: 'plain',
    prepare: at('/application-templates'),
  },
  {
    method: 'GET',
    path: '/application-templates/{id}',
    needs: 'any-key',
    status: 200,
    scope: 'plain',
    prepare: at('/application-templates/5f0f3c67-6b8e-4a3c-9a57-0f7d8f3e1a01'),
  },
];
