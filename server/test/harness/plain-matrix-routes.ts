import type { MatrixRoute } from './permission-matrix.ts';

/** Returns a request that needs no preparation. */
export const at = (path: string, body?: unknown) => async () => (body === undefined ? { path } : { path, body });

/** Returns a route that responds to its path with 200, unless it needs something else. */
function plain(
  method: string,
  path: string,
  needs: MatrixRoute['needs'],
  { status = 200, prepare = at(path) }: Partial<Pick<MatrixRoute, 'status' | 'prepare'>> = {},
): MatrixRoute {
  return { method, path, needs, status, scope: 'plain', prepare };
}

const unknownProof = `/logs/${crypto.randomUUID()}/proof?created_at=2030-01-01T00:00:00Z`;
const knownTemplate = '/application-templates/5f0f3c67-6b8e-4a3c-9a57-0f7d8f3e1a01';

/** Routes that concern the tenant as a whole, or data that is the same for every tenant. */
export const plainRoutes: readonly MatrixRoute[] = [
  plain('GET', '/tenants/self', 'tenant:read'),
  plain('PUT', '/tenants/self', 'tenant:update', { prepare: at('/tenants/self', { name: 'Same' }) }),
  plain('DELETE', '/tenants/self', 'tenant:delete', { status: 204 }),
  plain('GET', '/logs', 'log:read'),
  plain('GET', '/logs/export', 'log:read'),
  plain('GET', '/logs/entity-types', 'log:read'),
  plain('GET', '/logs/counts', 'log:read'),
  plain('GET', '/logs/facets', 'log:read'),
  plain('GET', '/logs/seal', 'log:read'),
  plain('GET', '/logs/exposure', 'log:read', { prepare: at('/logs/exposure?source_address=127.0.0.1') }),
  plain('GET', '/logs/viewers', 'log:read', { prepare: at('/logs/viewers?token_id=none') }),
  plain('GET', '/logs/{id}/proof', 'log:read', { status: 404, prepare: at(unknownProof) }),
  plain('GET', '/tenants/self/owner', 'tenant:member:read'),
  plain('GET', '/tenants/self/reports/usage', 'report:read'),
  plain('GET', '/tenants/self/encryption-keys', 'tenant:read'),
  plain('GET', '/applications/key', 'any-key'),
  plain('GET', '/permissions', 'any-key'),
  plain('GET', '/roles', 'any-key'),
  plain('GET', '/application-templates', 'any-key'),
  plain('GET', '/application-templates/{id}', 'any-key', { prepare: at(knownTemplate) }),
];
