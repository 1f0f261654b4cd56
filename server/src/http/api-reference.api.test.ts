import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestVault } from '../../test/harness/test-vault.ts';
import { createQuietEdge } from '../../test/harness/quiet-edge.ts';
import { permissionCatalog } from '../core/access/permission.ts';
import {
  addApplicationKeyRoutes,
  addApplicationRoutes,
  addCatalogRoutes,
  ApplicationKeyService,
  ApplicationService,
} from '../features/applications/index.ts';
import { addTenantRoutes, TenantService } from '../features/tenants/index.ts';

interface Operation {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema?: object;
  }[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Record<string, { readonly schema: object }> };
  readonly responses?: Record<
    string,
    {
      readonly description?: string;
      readonly headers?: object;
      readonly content?: Record<string, { readonly schema?: object }>;
    }
  >;
}
interface Description {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly securitySchemes: object; readonly schemas?: Record<string, unknown> };
  readonly security: readonly object[];
}

let vault: TestVault;
let description: Description;
let operations: { readonly method: string; readonly path: string; readonly operation: Operation }[];
beforeAll(async () => {
  vault = await TestVault.start();
  description = (await vault.request('GET', '/openapi.json')).body as Description;
  operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
});
afterAll(() => vault.stop());

describe('GET /openapi.json', () => {
  it('is an OpenAPI 3.1 document about this server', () => {
    expect(description.openapi).toMatch(/^3\.1\.\d+$/);
    expect(description.info).toMatchObject({ title: 'Strongroom', version: expect.any(String) });
    expect(description.servers).toEqual([{ url: 'http://localhost' }]);
    expect(description.components.securitySchemes).toEqual({
      apiKey: { type: 'apiKey', in: 'header', name: 'BT-API-KEY' },
    });
    expect(description.security).toEqual([{ apiKey: [] }]);
  });

  it('describes every endpoint of applications and tenants', () => {
    const described = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect(described).toEqual(
      expect.arrayContaining([
        'POST /applications',
        'GET /applications',
        'GET /applications/key',
        'GET /applications/{id}',
        'PUT /applications/{id}',
        'DELETE /applications/{id}',
        'POST /applications/{id}/keys',
        'GET /applications/{id}/keys',
        'GET /applications/{id}/keys/{keyId}',
        'DELETE /applications/{id}/keys/{keyId}',
        'GET /permissions',
        'GET /roles',
        'GET /application-templates',
        'GET /tenants/self',
        'PUT /tenants/self',
        'DELETE /tenants/self',
        'GET /tenants/self/owner',
        'GET /tenants/self/reports/usage',
      ]),
    );
  });

  it('describes every route that is added and not hidden', async () => {
    const { database, audit, apiKeyMaker } = vault.server.core;
    const app = await createQuietEdge();
    const added: string[] = [];
    app.addHook('onRoute', ({ method, url, schema }) => {
      if (method !== 'HEAD' && schema?.hide !== true) added.push(`${String(method)} ${url}`);
    });
    addTenantRoutes(app, new TenantService({ database, audit }));
    addApplicationRoutes(app, new ApplicationService({ database, audit, apiKeyMaker }));
    addApplicationKeyRoutes(app, new ApplicationKeyService({ database, audit, apiKeyMaker }));
    addCatalogRoutes(app);
    app.get('/hidden', { config: { permission: 'public' }, schema: { hide: true } }, () => 'hello');
    await app.ready();
    const paths = app.swagger().paths ?? {};
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods ?? {}).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
    expect(added.length).toBeGreaterThan(17);
    expect(described.toSorted()).toEqual(added.toSorted());
    await app.close();
  });

  it('leaves out what is no part of the API', () => {
    for (const { path } of operations) expect(path).not.toMatch(/^\/(docs|openapi)/);
  });

  it('gives every operation a name of its own', () => {
    const names = operations.map(({ operation }) => operation.operationId);
    for (const name of names) expect(name).toMatch(/^[a-z][A-Za-z0-9]+$/);
    expect(new Set(names).size).toBe(names.length);
  });

  it('gives every operation a success with the form of its body', () => {
    for (const { method, path, operation } of operations) {
      const successes = Object.entries(operation.responses ?? {}).filter(([status]) => /^2\d\d$/.test(status));
      expect([method, path, successes.length]).not.toContain(0);
      for (const [status, response] of successes) {
        expect(response.description).toEqual(expect.any(String));
        const schemas = Object.values(response.content ?? {}).map(({ schema }) => schema);
        // Authorizing a session answers 200 with nothing in it: that is its contract.
        const isEmpty = status === '204' || path === '/sessions/authorize';
        // Exports come in two formats.
        const forms = path === '/logs/export' ? [expect.any(Object), expect.any(Object)] : [expect.any(Object)];
        if (!isEmpty) expect([method, path, schemas]).toEqual([method, path, forms]);
      }
    }
  });

  it('declares every parameter of a path, and no other', () => {
    for (const { path, operation } of operations) {
      const named = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
      const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
      expect(declared.map(({ name }) => name)).toEqual(named);
      for (const parameter of declared) expect(parameter).toMatchObject({ required: true, schema: expect.any(Object) });
      expect(path).not.toContain(':');
    }
  });

  it('says of every operation how it refuses, with which status, and what it says to a client that asks too often', () => {
    for (const { method, path, operation } of operations) {
      const statuses = Object.keys(operation.responses ?? {});
      expect(statuses).toEqual(expect.arrayContaining(['400', '401', '403', '404', '429', '500', '503']));
      if (operation.requestBody !== undefined) expect(statuses).toContain('413');
      if (operation.parameters?.some(({ name }) => name === 'BT-IDEMPOTENCY-KEY') === true)
        expect([method, path, ...statuses]).toContain('409');
      for (const status of statuses.filter((one) => /^[45]/.test(one))) {
        // Published clients look for refusals of the proxy in a form of its own.
        const [mediaType, name] = path.startsWith('/proxy')
          ? ['application/json', 'ProxyProblem']
          : ['application/problem+json', 'Problem'];
        const refusal = { [mediaType]: { schema: { $ref: `#/components/schemas/${name}` } } };
        expect(operation.responses?.[status]?.content).toEqual(refusal);
      }
      expect(operation.responses?.['429']?.headers).toMatchObject({
        'Retry-After': expect.any(Object),
        'X-RateLimit-Reset': expect.any(Object),
      });
    }
  });

  it('says of single operations what they add to that', () => {
    const statusesOf = (method: string, path: string) =>
      Object.keys(description.paths[path]?.[method]?.responses ?? {});
    expect(statusesOf('post', '/tokens')).toEqual(expect.arrayContaining(['200', '201', '409', '415']));
    expect(statusesOf('patch', '/tokens/{id}')).toEqual(expect.arrayContaining(['409', '415']));
    expect(statusesOf('delete', '/tenants/self/members/{id}')).toContain('422');
    expect(statusesOf('post', '/sessions/authorize')).toEqual(expect.arrayContaining(['404', '409']));
    expect(statusesOf('post', '/proxy/{path}')).toEqual(expect.arrayContaining(['408', '502', 'default']));
    expect(statusesOf('get', '/tokens')).not.toContain('409');
  });

  it('has a default response for the proxy only, and no placeholder anywhere', () => {
    for (const { path, operation } of operations) {
      expect([path, 'default' in (operation.responses ?? {})]).toEqual([path, path.startsWith('/proxy')]);
    }
    expect(JSON.stringify(description)).not.toContain('Default Response');
  });

  it('describes pages by whole numbers with bounds', () => {
    const paged = operations.flatMap(({ path, operation }) =>
      (operation.parameters ?? [])
        .filter(({ name }) => name === 'page' || name === 'size')
        .map(({ name, schema }) => ({ path, name, schema })),
    );
    expect(paged.length).toBeGreaterThan(10);
    for (const { path, name, schema } of paged) {
      const bounds =
        name === 'page'
          ? { default: 1, maximum: 999_999_999 }
          : { default: 20, maximum: path.endsWith('/members') ? 50 : 100 };
      expect([path, schema]).toEqual([path, { type: 'integer', minimum: 1, ...bounds }]);
    }
    expect(JSON.stringify(description)).not.toContain('x-');
  });

  it('has one named component for each thing, and refers to it everywhere', () => {
    const names = Object.keys(description.components.schemas ?? {});
    expect(names).toEqual(
      expect.arrayContaining([
        'AccessRule',
        'Application',
        'ApplicationKey',
        'CreateTokenRequest',
        'Invitation',
        'Log',
        'LogPage',
        'Member',
        'Pagination',
        'Permission',
        'Problem',
        'ProxyProblem',
        'Session',
        'Tenant',
        'Token',
        'TokenPage',
        'UsageReport',
      ]),
    );
    expect(names).toEqual(names.toSorted());
    for (const { path, operation } of operations) {
      const bodies = [operation.requestBody, ...Object.values(operation.responses ?? {})];
      for (const schema of bodies.flatMap((body) => Object.values(body?.content ?? {})).map(({ schema }) => schema)) {
        // An object that is written out here would be a type without a name in a generated client.
        expect([path, JSON.stringify(schema)]).toEqual([path, expect.not.stringContaining('"properties"')]);
      }
    }
  });

  it('describes the proxy so that a client can send a body with every method that has one', () => {
    for (const path of ['/proxy', '/proxy/{path}']) {
      for (const method of ['post', 'put', 'patch', 'delete']) {
        expect(description.paths[path]?.[method]?.requestBody).toMatchObject({
          required: false,
          content: { 'application/json': { schema: expect.any(Object) }, '*/*': { schema: expect.any(Object) } },
        });
      }
      expect(description.paths[path]?.['get']?.requestBody).toBeUndefined();
      expect(description.paths[path]?.['get']?.parameters).toContainEqual(
        expect.objectContaining({ name: 'bt-proxy-url', in: 'header', required: true }),
      );
    }
  });

  it('names the idempotency key where it means something, and only there', () => {
    const named = operations.filter(({ operation }) =>
      operation.parameters?.some(({ name, in: place }) => name === 'BT-IDEMPOTENCY-KEY' && place === 'header'),
    );
    const paths = named.map(({ method, path }) => `${method} ${path}`);
    expect(paths).toEqual(
      expect.arrayContaining(['post /tokens', 'post /tokenize', 'patch /tokens/{id}', 'put /tenants/self']),
    );
    for (const { method, path } of named) {
      expect(['post', 'put', 'patch']).toContain(method);
      expect(path).not.toMatch(/search|detokenize|explain|^\/sessions$/);
    }
  });

  it('names the media type that an operation takes', () => {
    const content = (path: string, method: string) =>
      Object.keys(description.paths[path]?.[method]?.requestBody?.content ?? {});
    expect(content('/tokens/{id}', 'patch')).toEqual(['application/merge-patch+json']);
    expect(content('/tokens', 'post')).toEqual(['application/json']);
  });

  it('refers to nothing that is not there', () => {
    const text = JSON.stringify(description);
    for (const [, target = ''] of text.matchAll(/"\$ref":"([^"]*)"/g)) {
      expect(target).toMatch(/^#\/components\/schemas\//);
      expect(Object.keys(description.components.schemas ?? {})).toContain(target.split('/').at(-1));
    }
  });

  it('says what a permission can be', () => {
    const schema = JSON.stringify(description.components.schemas?.['CreateApplicationRequest']);
    for (const { type } of permissionCatalog) expect(schema).toContain(`"${type}"`);
  });

  it('needs a key for everything that it describes', async () => {
    for (const { method, path } of operations) {
      const answer = await vault.request(method.toUpperCase(), path.replaceAll(/\{[^}]+\}/g, 'none'));
      expect([method, path, answer.status]).toEqual([method, path, 401]);
    }
  });
});

describe('GET /docs', () => {
  const follow = async (path: string) => {
    const answer = await vault.request('GET', path);
    const location = answer.headers.get('location');
    if (location === null) return answer;
    expect(answer.status).toBeGreaterThanOrEqual(300);
    return vault.request('GET', new URL(location, `${vault.server.url}${path}`).pathname);
  };

  it('is a page that loads everything from this server', async () => {
    const page = await follow('/docs');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    const sources = [...page.text.matchAll(/\b(?:src|href|action)\s*=\s*["']([^"']*)["']/g)].map(
      ([, source = '']) => source,
    );
    expect(sources.length).toBeGreaterThan(0);
    for (const source of sources) {
      expect(new URL(source, `${vault.server.url}/docs/`).origin).toBe(vault.server.url);
    }
    expect(page.text).not.toMatch(/@import|url\(\s*["']?https?:/);
  });

  it('gets its script from this server', async () => {
    const page = await follow('/docs');
    const [, source = ''] = /<script[^>]+src="([^"]+)"/.exec(page.text) ?? [];
    const script = await vault.request('GET', new URL(source, `${vault.server.url}/docs/`).pathname);
    expect(script.status).toBe(200);
    expect(script.headers.get('content-type')).toMatch(/javascript/);
    expect(script.text.length).toBeGreaterThan(100_000);
  });

  it.each(['/docs', '/docs/', '/docs/errors', '/docs/errors/not-found'])('needs no key: %s', async (path) => {
    expect((await follow(path)).status).toBe(200);
  });
});
