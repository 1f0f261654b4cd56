import type { RouteOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestVault } from '../../../test/harness/test-vault.ts';
import { tapRoutes } from '../../../test/harness/route-tap.ts';
import { permissionCatalog } from '../../core/access/permission.ts';
import { toTemplate } from '../routes/route-template.ts';

interface Response {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: object;
  readonly content?: Record<string, { readonly schema?: object; readonly examples?: Record<string, object> }>;
}
interface Operation {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema?: object;
  }[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Record<string, { readonly schema: object; readonly examples?: Record<string, object> }>;
  };
  readonly responses?: Record<string, Response>;
}
/** A schema in `components`. */
interface Component {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Record<string, Component>;
  readonly items?: Component;
  readonly anyOf?: readonly Component[];
  readonly additionalProperties?: Component | boolean;
}
interface Description {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: {
    readonly securitySchemes: object;
    readonly schemas: Record<string, Component>;
    readonly responses: Record<string, Response>;
  };
  readonly security: readonly object[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
}

let vault: TestVault;
let description: Description;
let routes: readonly RouteOptions[];
let operations: { readonly method: string; readonly path: string; readonly operation: Operation }[];
beforeAll(async () => {
  const tapped = await tapRoutes(() => TestVault.start());
  vault = tapped.started;
  // The other server serves health and metrics.
  routes = tapped.servers.find((own) => own.some(({ url }) => url === '/openapi.json')) ?? [];
  description = (await vault.request('GET', '/openapi.json')).body as Description;
  operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
});
afterAll(() => vault.stop());

/** Returns the responses of an operation, and resolves those that are shared. */
function responsesOf({ responses = {} }: Operation): Record<string, Response> {
  const resolve = (response: Response) =>
    description.components.responses[response.$ref?.split('/').at(-1) ?? ''] ?? response;
  return Object.fromEntries(Object.entries(responses).map(([status, response]) => [status, resolve(response)]));
}

describe('GET /openapi.json', () => {
  it('is an OpenAPI 3.1 document about this server', () => {
    expect(description.openapi).toMatch(/^3\.1\.\d+$/);
    expect(description.info).toMatchObject({ title: 'Strongroom', version: expect.any(String) });
    expect(description.servers).toEqual([{ url: 'http://localhost' }]);
    expect(description.components.securitySchemes).toEqual({
      apiKey: { type: 'apiKey', in: 'header', name: 'BT-API-KEY', description: expect.any(String) },
    });
    expect(description.security).toEqual([{ apiKey: [] }]);
  });

  it('keeps the names and the order of its operations: tokens first', async () => {
    const listed = description.tags.flatMap(({ name }) => [
      `${name}:`,
      ...operations
        .filter(({ operation }) => operation.tags?.[0] === name)
        .map(({ method, path, operation }) => `  ${operation.operationId}: ${method.toUpperCase()} ${path}`),
    ]);
    // After an intended change: npx vitest run src/http/description --update
    await expect(`${listed.join('\n')}\n`).toMatchFileSnapshot('operations.txt');
  });

  it('says of every operation what it does, which permission it needs and how often it may be called', () => {
    for (const { method, path, operation } of operations) {
      const route = routes.find((one) => one.method === method.toUpperCase() && toTemplate(one.url) === path);
      const { permission, alsoNeeds = [], rateLimit = 'global' } = route?.config ?? {};
      const needed = permission === 'any-key' ? [] : [permission, ...alsoNeeds];
      const { limit } = vault.limits.table[rateLimit];
      expect(operation.summary).toMatch(/^[A-Z].*[^.]$/);
      expect(operation.description).toMatch(/^[A-Z].{20,}\.\n/s);
      expect([path, operation.security]).toEqual([path, [{ apiKey: needed }]]);
      for (const name of needed) expect(operation.description).toContain(`\`${name}\``);
      expect(operation.description).toContain(
        `**Rate limit:** \`${rateLimit}\`, ${limit.toLocaleString('en')} requests`,
      );
    }
  });

  it('shows an example of every body that is sent or returned, and describes every parameter', () => {
    for (const { method, path, operation } of operations) {
      const [sent] = Object.values(operation.requestBody?.content ?? {});
      if (sent !== undefined) expect([method, path, Object.keys(sent.examples ?? {})]).not.toContainEqual([]);
      for (const [status, { content = {} }] of Object.entries(responsesOf(operation))) {
        for (const { examples = {} } of Object.values(content))
          expect([method, path, status, Object.keys(examples)]).not.toContainEqual([]);
      }
      for (const parameter of operation.parameters ?? []) expect(parameter.description).toMatch(/\.$/);
    }
  });

  it('describes every route that the server has and does not hide, and no other', () => {
    const served = routes.flatMap(({ method, url, schema }) =>
      [method].flat().flatMap((one) => (one === 'HEAD' || schema?.hide === true ? [] : [`${one} ${toTemplate(url)}`])),
    );
    const described = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect(routes.some(({ schema }) => schema?.hide === true)).toBe(true);
    expect(described.toSorted()).toEqual(served.toSorted());
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
        // Authorizing a session returns an empty 200 response. That is its contract.
        const isEmpty = status === '204' || path === '/sessions/authorize';
        // Exports have two formats.
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

  it('says of every operation how it fails, with a problem that has the status in its type', () => {
    for (const { method, path, operation } of operations) {
      const responses = responsesOf(operation);
      const statuses = Object.keys(responses);
      expect(statuses).toEqual(expect.arrayContaining(['400', '401', '403', '408', '429', '431', '500', '503']));
      if (path.includes('{')) expect(statuses).toContain('404');
      if (operation.requestBody !== undefined) expect(statuses).toContain('413');
      if (operation.parameters?.some(({ name }) => name === 'BT-IDEMPOTENCY-KEY') === true)
        expect([method, path, ...statuses]).toContain('409');
      for (const status of statuses.filter((one) => /^[45]/.test(one))) {
        const { content = {} } = responses[status] ?? {};
        // Published clients expect errors of the proxy in their own format. Errors before routing use only the common
        // format.
        const forms = path.startsWith('/proxy') ? ['application/json', 'application/problem+json'] : [];
        expect(['application/problem+json', ...forms]).toEqual(expect.arrayContaining(Object.keys(content)));
        for (const [mediaType, { schema }] of Object.entries(content)) {
          const name = (schema as { $ref: string }).$ref.split('/').at(-1) ?? '';
          const { properties } = description.components.schemas[name] ?? {};
          if (mediaType === 'application/json') expect(name).toBe('ProxyProblem');
          else expect(properties?.['status']).toMatchObject({ const: Number(status) });
        }
      }
      expect(responses['429']?.headers).toMatchObject({
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
    expect(JSON.stringify(description)).not.toContain('"x-');
  });

  it('has one named component for each thing, and refers to it everywhere', () => {
    const names = Object.keys(description.components.schemas);
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
      const bodies = [operation.requestBody, ...Object.values(responsesOf(operation))];
      for (const schema of bodies.flatMap((body) => Object.values(body?.content ?? {})).map(({ schema }) => schema)) {
        // An inline object would become a type without a name in a generated client.
        expect([path, JSON.stringify(schema)]).toEqual([path, expect.not.stringContaining('"properties"')]);
      }
    }
  });

  it('describes every component and every member of it, and names every object in it', () => {
    const lacking: string[] = [];
    const examine = (name: string, schema: Component, isNamed: boolean) => {
      if (schema.$ref !== undefined) return;
      if (!isNamed && Object.keys(schema.properties ?? {}).length > 0) lacking.push(`${name} has no name`);
      for (const [member, inner] of Object.entries(schema.properties ?? {})) {
        if (inner.$ref === undefined && inner.description === undefined) {
          const [only] = inner.anyOf ?? [];
          if (only?.$ref === undefined) lacking.push(`${name}.${member} has no description`);
        }
        examine(`${name}.${member}`, inner, false);
      }
      const { items, anyOf = [], additionalProperties: values } = schema;
      const parts = [
        ...(items === undefined ? [] : [items]),
        ...anyOf,
        ...(typeof values === 'object' ? [values] : []),
      ];
      for (const part of parts) examine(`${name}[]`, part, false);
    };
    for (const [name, schema] of Object.entries(description.components.schemas)) {
      if (schema.description === undefined) lacking.push(`${name} has no description`);
      examine(name, schema, true);
    }
    expect(lacking).toEqual([]);
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
        expect.objectContaining({ name: 'bt-proxy-url', in: 'header', required: false }),
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
      const [, , kind = '', name] = target.split('/');
      const { schemas, responses } = description.components;
      expect(Object.keys({ schemas, responses }[kind] ?? {})).toContain(name);
    }
  });

  it('says what a permission can be', () => {
    const schema = JSON.stringify(description.components.schemas['CreateApplicationRequest']);
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
