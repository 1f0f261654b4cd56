import type { RouteOptions } from 'fastify';
import { toTemplate } from '../../src/http/routes/route-template.ts';
import { createResource, listResources } from './api-resources.ts';
import type { MatrixRoute } from './permission-matrix.ts';
import type { TestVault } from './test-vault.ts';

/** Returns a request that needs no preparation. */
export const at = (path: string, body?: unknown) => async () => (body === undefined ? { path } : { path, body });

/** States in which a request needs other rights than usual. */
const changesRights: ReadonlySet<string | undefined> = new Set(['approvals', 'deleted-tenant']);

/**
 * Returns a row for each route without one. The permission comes from the declaration of the route, and the request
 * from its first example of a success. An id in the path names a resource that is created for the request.
 */
export function derivePlainRoutes(
  routes: readonly RouteOptions[],
  rows: readonly MatrixRoute[],
  vault: TestVault,
): MatrixRoute[] {
  const hasRow = (route: RouteOptions) =>
    rows.some(({ method, path }) => method === route.method && path === toTemplate(route.url));
  const resources = listResources(routes);
  return routes
    .filter((route) => !hasRow(route))
    .map((route) => {
      const path = toTemplate(route.url);
      const { permission = 'public', alsoNeeds: [alsoNeeds] = [], examples = [], mediaTypes } = route.config ?? {};
      const successes = examples.filter(({ status, given }) => status < 300 && !changesRights.has(given));
      const example = successes.find(({ given }) => given === undefined) ?? successes[0];
      if (permission === 'public' || example === undefined)
        throw new Error(`${String(route.method)} ${path} needs a row of its own in the permission matrix.`);
      const { path: values = {}, query = {}, body } = example.request ?? {};
      const resource = resources.find(({ template }) => path.startsWith(template));
      const search = new URLSearchParams(query).toString();
      return {
        method: String(route.method),
        path,
        needs: permission,
        ...(alsoNeeds === undefined ? {} : { alsoNeeds }),
        status: example.status,
        scope: 'plain',
        prepare: async (of) => {
          const id = resource === undefined ? values['id'] : await createResource(vault, of, resource);
          return {
            path: `${path.replace('{id}', id ?? '')}${search === '' ? '' : `?${search}`}`,
            ...(body === undefined ? {} : { body }),
            ...(mediaTypes === undefined ? {} : { headers: { 'content-type': mediaTypes[0] ?? '' } }),
          };
        },
      };
    });
}
