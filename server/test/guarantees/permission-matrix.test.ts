import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, derivePlainRoutes } from '../harness/derived-matrix-rows.ts';
import { createApplication } from '../harness/test-application.ts';
import {
  expectedFor,
  makeKey,
  makeMatrixKeys,
  type MatrixKey,
  type MatrixRoute,
} from '../harness/permission-matrix.ts';
import { peopleRoutes } from '../harness/people-matrix-routes.ts';
import { ProxyVault } from '../harness/proxy-vault.ts';
import { tapApi } from '../harness/route-tap.ts';
import { clientKeyRoutes } from '../harness/client-key-matrix-routes.ts';
import { retentionRoutes } from '../harness/retention-matrix-routes.ts';
import { erasureRoutes } from '../harness/erasure-matrix-routes.ts';
import { sessionRoutes } from '../harness/session-matrix-routes.ts';
import type { TestResponse, TestTenant } from '../harness/test-vault.ts';
import { tokenIntentRoutes } from '../harness/token-intent-matrix-routes.ts';
import { webhookRoutes } from '../harness/webhook-matrix-routes.ts';
import type { Behaviour } from '../harness/tls-destination.ts';

/** Returns the request body in the form of a token that was read. */
const echo: Behaviour = (socket, { body }) => {
  const answer = `{"data":${body.length === 0 ? '"none"' : body.toString()}}`;
  socket.end(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${answer.length}\r\n\r\n${answer}`);
};

// The vault starts before the tests are collected, because its routes decide which rows there are.
const { started: proxy, routes: served } = await tapApi(() => ProxyVault.start({ behaviour: echo }));
const { vault, tenant } = proxy;
let keys: MatrixKey[];
beforeAll(async () => {
  keys = await makeMatrixKeys(vault, tenant);
});
afterAll(() => proxy.stop());

const secret = 'plaintext-of-the-matrix';
async function makeToken(of: TestTenant): Promise<string> {
  const answer = await vault.request('POST', '/tokens', {
    key: of.keys.reveal,
    body: { type: 'token', data: secret, mask: '{{ data | last4 }}' },
  });
  return (answer.body as { id: string }).id;
}
const merge = { 'content-type': 'application/merge-patch+json' };
const onToken = (body?: unknown, headers?: Record<string, string>) => async (of: TestTenant) => ({
  path: `/tokens/${await makeToken(of)}`,
  ...(body === undefined ? {} : { body }),
  ...(headers === undefined ? {} : { headers }),
});
const onApplication =
  (suffix = '', body?: unknown) =>
  async (of: TestTenant) => {
    const { id, keyId } = await createApplication(vault, of);
    return { path: `/applications/${id}${suffix.replace('{keyId}', keyId)}`, ...(body === undefined ? {} : { body }) };
  };
const draft = { permissions: ['token:read'], container: '/' };

const ownRows: MatrixRoute[] = [
  {
    method: 'POST',
    path: '/tokens',
    needs: 'token:create',
    status: 201,
    scope: 'create',
    prepare: at('/tokens', { type: 'token', data: secret, mask: '{{ data | last4 }}' }),
  },
  { method: 'GET', path: '/tokens/{id}', needs: 'token:read', status: 200, scope: 'token', prepare: onToken() },
  {
    method: 'PATCH',
    path: '/tokens/{id}',
    needs: 'token:update',
    status: 200,
    scope: 'token',
    prepare: onToken({ metadata: { order: '1' } }, merge),
  },
  { method: 'DELETE', path: '/tokens/{id}', needs: 'token:delete', status: 204, scope: 'token', prepare: onToken() },
  { method: 'GET', path: '/tokens', needs: 'token:read', status: 200, scope: 'list', prepare: at('/tokens?size=3') },
  {
    method: 'GET',
    path: '/v2/tokens',
    needs: 'token:read',
    status: 200,
    scope: 'list',
    prepare: at('/v2/tokens?size=3'),
  },
  {
    method: 'POST',
    path: '/tokens/search',
    needs: 'token:search',
    status: 200,
    scope: 'list',
    prepare: at('/tokens/search', { query: 'type:token', size: 3 }),
  },
  {
    method: 'POST',
    path: '/v2/tokens/search',
    needs: 'token:search',
    status: 200,
    scope: 'list',
    prepare: at('/v2/tokens/search', { size: 3 }),
  },
  {
    method: 'POST',
    path: '/tokenize',
    needs: 'token:create',
    status: 200,
    scope: 'create',
    prepare: at('/tokenize', { a: { type: 'token', data: secret, mask: '{{ data | last4 }}' } }),
  },
  {
    method: 'POST',
    path: '/detokenize',
    needs: 'token:read',
    status: 200,
    scope: 'token',
    prepare: async (of) => ({ path: '/detokenize', body: { a: `{{ ${await makeToken(of)} }}` } }),
  },
  ...['POST', 'PUT', 'PATCH', 'DELETE'].map(
    (method): MatrixRoute => ({
      method,
      path: '/proxy',
      needs: 'token:use',
      status: 200,
      scope: 'use',
      prepare: async (of) => ({
        path: '/proxy',
        body: `{{ ${await makeToken(of)} }}`,
        headers: { 'bt-proxy-url': proxy.url },
      }),
    }),
  ),
  {
    method: 'GET',
    path: '/proxy',
    needs: 'token:use',
    status: 200,
    scope: 'plain',
    prepare: async () => ({ path: '/proxy', headers: { 'bt-proxy-url': proxy.url } }),
  },
  ...['POST', 'PUT', 'PATCH', 'DELETE', 'GET'].map(
    (method): MatrixRoute => ({
      method,
      path: '/proxy/{path}',
      needs: 'token:use',
      status: 200,
      scope: method === 'GET' ? 'plain' : 'use',
      prepare: async (of) => ({
        path: '/proxy/charges',
        ...(method === 'GET' ? {} : { body: `{{ ${await makeToken(of)} }}` }),
        headers: { 'bt-proxy-url': proxy.url },
      }),
    }),
  ),
  {
    method: 'POST',
    path: '/applications',
    needs: 'application:create',
    status: 201,
    scope: 'plain',
    prepare: at('/applications', { name: 'x', type: 'private', permissions: ['token:read'] }),
  },
  {
    method: 'GET',
    path: '/applications',
    needs: 'application:read',
    status: 200,
    scope: 'plain',
    prepare: at('/applications?size=1'),
  },
  {
    method: 'GET',
    path: '/applications/{id}',
    needs: 'application:read',
    status: 200,
    scope: 'plain',
    prepare: onApplication(),
  },
  {
    method: 'PUT',
    path: '/applications/{id}',
    needs: 'application:update',
    status: 200,
    scope: 'plain',
    prepare: onApplication('', { name: 'x', permissions: ['token:read'] }),
  },
  {
    method: 'DELETE',
    path: '/applications/{id}',
    needs: 'application:delete',
    status: 204,
    scope: 'plain',
    prepare: onApplication(),
  },
  {
    method: 'POST',
    path: '/applications/{id}/keys',
    needs: 'application:create',
    status: 201,
    scope: 'plain',
    prepare: onApplication('/keys'),
  },
  {
    method: 'GET',
    path: '/applications/{id}/keys',
    needs: 'application:read',
    status: 200,
    scope: 'plain',
    prepare: onApplication('/keys'),
  },
  {
    method: 'GET',
    path: '/applications/{id}/keys/{keyId}',
    needs: 'application:read',
    status: 200,
    scope: 'plain',
    prepare: onApplication('/keys/{keyId}'),
  },
  {
    method: 'DELETE',
    path: '/applications/{id}/keys/{keyId}',
    needs: 'application:delete',
    status: 204,
    scope: 'plain',
    prepare: onApplication('/keys/{keyId}'),
  },
  ...sessionRoutes(vault),
  {
    method: 'GET',
    path: '/logs/{id}/proof',
    needs: 'log:read',
    status: 404,
    scope: 'plain',
    prepare: at(`/logs/${crypto.randomUUID()}/proof?created_at=2030-01-01T00:00:00Z`),
  },
  ...clientKeyRoutes(vault),
  ...retentionRoutes(vault),
  ...erasureRoutes(vault),
  ...tokenIntentRoutes(vault),
  ...webhookRoutes(vault),
  {
    method: 'POST',
    path: '/access/explain',
    needs: 'application:read',
    status: 200,
    scope: 'plain',
    prepare: at('/access/explain', draft),
  },
  {
    method: 'POST',
    path: '/access/who',
    needs: 'application:read',
    status: 200,
    scope: 'plain',
    prepare: at('/access/who', { container: '/' }),
  },
  ...peopleRoutes(vault),
  { method: 'POST', path: '/sessions', needs: 'session-key', status: 201, scope: 'plain', prepare: at('/sessions') },
];
const described = served.filter(({ url }) => url !== '/sessions/authorize');
const routes = [...ownRows, ...derivePlainRoutes(described, ownRows, vault)];

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

/** Returns the problem in a response. The proxy wraps its problems. */
function problemIn({ body }: TestResponse): { readonly detail?: string } {
  const answered = (body ?? {}) as { detail?: string; proxy_error?: { detail?: string } };
  return answered.proxy_error ?? answered;
}

/** Returns the outcome of a response in the terms of the table. */
function outcomeOf(route: MatrixRoute, { status, text, body }: TestResponse): string {
  if (status === 403) return 'forbidden';
  if (status !== route.status) return `status ${status}`;
  // Using a token means using its plaintext, unless a rule says otherwise.
  if (text.includes(secret)) return route.scope === 'use' ? 'allowed' : 'plaintext';
  if (route.scope === 'list') {
    const { data } = body as { data: { data?: unknown }[] };
    if (data.length === 0) return 'empty';
    return data.every((token) => token.data === undefined) ? 'redacted' : 'allowed';
  }
  if (route.scope === 'plain' || route.scope === 'hidden' || route.status === 204) return 'allowed';
  return /"(data|a)":"?(?!null)[^{]/.test(text) ? 'allowed' : 'redacted';
}

describe('every permission on every route', () => {
  it('has a row for every operation of the API, with the permissions that its description names', async () => {
    const { paths } = (await vault.request('GET', '/openapi.json')).body as {
      paths: Record<string, Record<string, { security: [{ apiKey: string[] }] }>>;
    };
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { security }]) => [`${method.toUpperCase()} ${path}`, security[0].apiKey]),
    );
    const rows = routes.map((route) => {
      const needed = [route.needs, route.alsoNeeds ?? 'any-key'].filter((one) => !one.endsWith('-key'));
      return [nameOf(route), needed];
    });
    expect(Object.fromEntries([...rows, ['POST /sessions/authorize', []]])).toEqual(Object.fromEntries(operations));
  });

  it('has more than 2,000 cells', () => {
    expect(routes.length * keys.length).toBeGreaterThan(2_000);
  });

  it.each(routes.map((route) => [nameOf(route), route] as const))('%s', async (_name, route) => {
    const wrong: string[] = [];
    let prepared: Awaited<ReturnType<MatrixRoute['prepare']>> | undefined;
    for (const { permission, variant, key } of keys) {
      const expected = expectedFor(route, { permission, variant });
      // Deleting a tenant deletes all of its keys, so a separate tenant is created for this.
      const isLast = route.path === '/tenants/self' && route.method === 'DELETE' && expected === 'allowed';
      const of = isLast ? await vault.makeTenant() : tenant;
      const asked = prepared ?? (await route.prepare(of));
      const { path, body, headers } = asked;
      const answer = await vault.request(route.method, path, {
        key: isLast ? await makeKey(vault, of, permission, variant) : key,
        ...(body === undefined ? {} : { body }),
        ...(headers === undefined ? {} : { headers }),
      });
      const got = outcomeOf(route, answer);
      // A refused request has changed nothing, so the same preparation can be used for the next key.
      prepared = got === 'forbidden' ? asked : undefined;
      // The response to a delete contains nothing that a transform could change.
      const wanted = expected === 'redacted' && route.status === 204 ? 'allowed' : expected;
      if (got !== wanted) wrong.push(`${permission}, ${variant}: ${got} instead of ${wanted}`);
      const { detail = '' } = problemIn(answer);
      if (
        got === 'forbidden' &&
        route.needs !== 'session-key' &&
        !detail.startsWith(`Missing permission: ${route.needs}`) &&
        !(route.alsoNeeds !== undefined && detail === `Missing permission: ${route.alsoNeeds}`)
      )
        wrong.push(`${permission}, ${variant}: ${detail}`);
      if (
        got === 'forbidden' &&
        route.scope !== 'plain' &&
        variant === 'other container' &&
        permission === route.needs &&
        !detail.endsWith('on container /general/high/')
      )
        wrong.push(detail);
    }
    expect(wrong).toEqual([]);
  });
});
