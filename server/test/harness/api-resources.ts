import type { RouteOptions } from 'fastify';
import type { ApiExample } from '../../src/http/routes/api-examples.ts';
import { permissionsNeeded } from '../../src/http/routes/route-config.ts';
import { toTemplate } from '../../src/http/routes/route-template.ts';
import { parametersOf } from './api-routes.ts';
import type { TestTenant, TestVault } from './test-vault.ts';

/** Something that a tenant can have, as the examples of its routes describe it. */
export interface ApiResource {
  /** The path of all of them: `/tenants/self/invitations`. */
  readonly collection: string;
  /** The path of one of them: `/tenants/self/invitations/{id}`. */
  readonly template: string;
  /** What its id names in a path: `invitations/{id}`. */
  readonly place: string;
  /** The id that the examples give it. Undefined if no example reads one. */
  readonly exampleId: string | undefined;
  /** The example that creates one. */
  readonly creation: ApiExample;
}

/**
 * Lists what can be created with a management key: everything that has a path of its own, and examples that create and
 * read one. Tests use these examples, so that a new resource needs no row in their lists.
 */
export function listResources(routes: readonly RouteOptions[]): ApiResource[] {
  const find = (method: string, template: string) =>
    routes.find((route) => route.method === method && toTemplate(route.url) === template);
  const templates = [...new Set(routes.map(({ url }) => toTemplate(url)))];
  return templates.flatMap((template) => {
    const collection = template.replace(/\/\{id\}$/, '');
    if (collection === template || collection.includes('{')) return [];
    const config = find('POST', collection)?.config;
    const creation = config?.examples?.find(
      ({ status, given, response }) => status === 201 && given === undefined && hasId(response),
    );
    const isAboutTokens = permissionsNeeded(config).some((permission) => permission.startsWith('token:'));
    if (creation === undefined || isAboutTokens) return [];
    const place = parametersOf(template).at(-1)?.place ?? '';
    const read = find('GET', template)?.config?.examples?.find(({ status }) => status === 200);
    return [{ collection, template, place, exampleId: read?.request?.path?.['id'], creation }];
  });
}

function hasId(response: unknown): boolean {
  return typeof response === 'object' && response !== null && 'id' in response;
}

/** Creates a resource as its example does, and returns its id. */
export async function createResource(
  vault: TestVault,
  { keys }: Pick<TestTenant, 'keys'>,
  { collection, creation }: ApiResource,
): Promise<string> {
  const { key = 'management', request: { body } = {} } = creation;
  const answer = await vault.request('POST', collection, {
    key: key === 'session' ? keys.public : keys[key],
    ...(body === undefined ? {} : { body }),
  });
  const { id } = (answer.body ?? {}) as { readonly id?: string };
  if (answer.status === 201 && id !== undefined) return id;
  throw new Error(
    `The first example of POST ${collection} does not create anything that has an id: ${answer.status} ${answer.text}`,
  );
}
