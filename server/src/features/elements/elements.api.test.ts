import type { RouteOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ElementsBuild } from '../../../test/harness/elements-build.ts';
import { requestHead, sendRaw } from '../../../test/harness/raw-http.ts';
import { tapRoutes } from '../../../test/harness/route-tap.ts';
import { createApplication } from '../../../test/harness/test-application.ts';
import { type TestRequest, type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';

const host = 'elements.example.com';
const anyId = '22222222222222222222222';
const cookies: string[] = [];

let build: ElementsBuild;
let vault: TestVault;
let tenant: TestTenant;
let routes: RouteOptions[];
let url: string;
beforeAll(async () => {
  build = await ElementsBuild.make();
  const config = { url: `https://${host}`, port: 0 };
  const { started, servers } = await tapRoutes(() =>
    TestVault.start(undefined, { elements: { config, folder: build.folder } }),
  );
  vault = started;
  routes = servers.find((those) => those.some((route) => route.url === '/tokens')) ?? [];
  url = vault.server.elementsUrl ?? '';
  tenant = await vault.makeTenant();
});
afterAll(async () => {
  await vault.stop();
  await build.remove();
});

/** Sends a request to the port of the elements origin. */
async function ask(method: string, path: string, request: TestRequest = {}) {
  const answer = await vault.request(method, path, { ...request, url });
  cookies.push(...answer.headers.getSetCookie());
  return answer;
}
const get = (path: string, headers: Record<string, string> = {}) => ask('GET', path, { headers });

const idOf = (key: string) => key.split('_')[3]?.slice(0, 22) ?? '';

describe('the files', () => {
  it('are listed with their version and their sums', async () => {
    const answer = await get('/elements/manifest.json');
    expect(answer).toMatchObject({ status: 200, body: build.manifest });
    expect(answer.headers.get('cache-control')).toBe('no-cache');
  });

  it.each([
    ['client.js', 'text/javascript; charset=utf-8'],
    ['controller.js', 'text/javascript; charset=utf-8'],
    ['field.js', 'text/javascript; charset=utf-8'],
    ['field.css', 'text/css; charset=utf-8'],
  ])('are for every page and forever: %s', async (name, type) => {
    for (const encoding of ['identity', 'gzip']) {
      const answer = await get(`/elements/${build.version}/${name}`, { 'accept-encoding': encoding });
      expect(answer).toMatchObject({ status: 200, text: build.files[name] });
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
        vary: 'accept-encoding',
      });
      expect(answer.headers.get('content-encoding')).toBe(encoding === 'gzip' ? 'gzip' : null);
    }
  });

  it.each(['/elements/client.js', '/web-elements/1.2.3/client/index.js', '/web-elements/latest/client/index.js'])(
    'have the client at %s, for five minutes and with a tag',
    async (path) => {
      const answer = await get(path);
      expect(answer).toMatchObject({ status: 200, text: build.files['client.js'] });
      expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
      const tag = answer.headers.get('etag') ?? '';
      expect(await get(path, { 'if-none-match': `"other", ${tag}` })).toMatchObject({ status: 304, text: '' });
      expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200);
    },
  );

  it.each([
    '/elements/0.0.9-0123456789ab/field.js',
    '/elements/{version}/manifest.json',
    '/elements/{version}/field.js.gz',
    '/elements/{version}/..%2f..%2flook.css',
    '/elements/{version}/',
    '/elements/',
    '/web-elements/1/client/other.js',
    '/manifest.json',
  ])('are no others: %s', async (path) => {
    expect((await get(path.replace('{version}', build.version))).status).toBe(404);
  });
});

describe('the documents of frames', () => {
  const policy = [
    `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'`,
    `frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`,
  ].join('; ');

  it.each([
    ['no key', () => ''],
    ['an unknown key', () => '?key=2222222222222222222222'],
    ['a text that is no key', () => '?key=%0d%0aset-cookie:%20x'],
    ['two keys', () => `?key=${idOf(tenant.keys.public)}&key=${idOf(tenant.keys.public)}`],
    ['a private key', () => `?key=${idOf(tenant.keys.private)}`],
    ['a management key', () => `?key=${idOf(tenant.keys.management)}`],
    ['a public key without a list', () => `?key=${idOf(tenant.keys.public)}`],
  ])('can be shown by no page with %s', async (_name, query) => {
    for (const path of ['/elements/field', '/elements/controller']) {
      const { status, headers } = await get(`${path}${query()}`, { origin: 'https://shop.example' });
      expect([status, headers.get('content-security-policy')]).toEqual([200, policy]);
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it('say everything that keeps them apart from the page around them', async () => {
    const { headers, text } = await get('/elements/field?key=x');
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'origin-agent-cluster': '?1',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      'permissions-policy': expect.stringMatching(/^accelerometer=\(\), .*camera=\(\), .*, clipboard-write=\(self\)$/),
    });
    expect(headers.get('x-frame-options')).toBeNull();
    const { version, files } = build.manifest;
    expect(text).toBe(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Strongroom field</title><link rel="stylesheet" href="/elements/${version}/field.css" integrity="${files['field.css']}" crossorigin="anonymous"><script type="module" src="/elements/${version}/field.js" integrity="${files['field.js']}" crossorigin="anonymous"></script></head><body></body></html>`,
    );
    const controller = (await get('/elements/controller?key=x')).text;
    expect(controller).toContain(`src="/elements/${version}/controller.js" integrity="${files['controller.js']}"`);
    expect(controller).not.toContain('stylesheet');
  });
});

describe('a request belongs to the elements origin', () => {
  const served = `/elements/client.js`;
  const raw = (target: string, headers: Record<string, string>, to = vault.server.url) =>
    sendRaw(to, requestHead(`GET ${target}`, headers));

  it.each([host, 'ELEMENTS.example.com', `${host}:443`])('on the port of the API by its host: %s', async (name) => {
    expect((await raw(served, { host: name })).status).toBe(200);
    expect((await raw('/docs', { host: name })).status).toBe(404);
  });

  it.each(['vault.example.com', `${host}:8080`, `${host}.`, `x.${host}`, 'example.com'])(
    'and by no other host: %s',
    async (name) => {
      expect((await raw(served, { host: name })).status).toBe(404);
      expect((await raw('/docs', { host: name })).status).toBe(200);
    },
  );

  it('on its own port by any host', async () => {
    for (const name of [host, 'vault.example.com', 'localhost']) {
      expect((await raw(served, { host: name }, url)).status).toBe(200);
      expect((await raw('/docs', { host: name }, url)).status).toBe(404);
    }
  });

  it('with a target in absolute form as well', async () => {
    for (const scheme of ['http', 'https', 'HTTP']) {
      expect((await raw(`${scheme}://${host}${served}`, { host })).status).toBe(200);
      expect((await raw(`${scheme}://${host}/docs`, { host })).status).toBe(404);
      expect((await raw(`${scheme}://${host}/api/applications`, { host })).status).toBe(404);
      expect((await raw(`${scheme}://${host}?/docs`, { host })).status).toBe(404);
    }
    expect((await raw('http://vault.example.com/docs', { host: 'vault.example.com' }, url)).status).toBe(404);
  });

  it.each(['/docs', served, '/api/tokens'])('or is refused where two hosts are named: %s', async (path) => {
    const other = 'vault.example.com';
    for (const to of [vault.server.url, url]) {
      expect((await raw(`http://${other}${path}`, { host }, to)).status).toBe(400);
      expect((await raw(`http://${host}${path}`, { host: other }, to)).status).toBe(400);
      const twice = `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nhost: ${other}\r\nconnection: close\r\n\r\n`;
      expect((await sendRaw(to, twice)).status).toBe(400);
      expect((await sendRaw(to, twice.replace(/(host: \S+\r\n)(host: \S+\r\n)/, '$2$1'))).status).toBe(400);
    }
  });
});

describe('nothing else', () => {
  const allowed = [
    'POST /tokens',
    'GET /tokens/:id',
    'PATCH /tokens/:id',
    'POST /tokenize',
    'POST /token-intents',
    'POST /sessions',
    ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].flatMap((method) => [`${method} /proxy`, `${method} /proxy/*`]),
  ];
  const listRoutes = (areOfElements: boolean) =>
    routes
      .filter(({ constraints }) => (constraints !== undefined) === areOfElements)
      .flatMap((route) => [route.method].flat().map((method) => ({ method, template: route.url })));
  const toPath = (template: string) => template.replaceAll(/:\w+|\*/g, 'x');

  it('of the vault is found there', async () => {
    const all = listRoutes(false);
    expect(all.length).toBeGreaterThan(100);
    for (const { method, template } of all) {
      const { status, headers } = await ask(method, toPath(template), { key: tenant.keys.management });
      expect([method, template, status, headers.get('allow')]).toEqual([method, template, 404, null]);
    }
  });

  it('of the API is found behind its prefix', async () => {
    const found: string[] = [];
    for (const { method, template } of listRoutes(false)) {
      const { status, headers, text } = await ask(method, `/api${toPath(template)}`);
      if (status !== 404) found.push(`${method} ${template}`);
      expect([method, template, headers.get('allow')]).toEqual([method, template, null]);
      expect(text).not.toContain('<html');
    }
    expect(found.filter((route) => !allowed.includes(route))).toEqual(
      found.filter((route) => route.startsWith('HEAD /proxy')),
    );
    expect(allowed.filter((route) => !found.includes(route))).toEqual([]);
  });

  it.each([
    ['POST', '/api/%74okens/search'],
    ['POST', '/api/tokens/%73earch'],
    ['DELETE', '/api/tokens/x'],
    ['HEAD', '/api/tokens/x'],
    ['GET', '/api/tokens'],
    ['GET', '/api/../tokens'],
    ['GET', '/api//applications'],
    ['GET', '/api/elements/field'],
    ['GET', '/api/api/tokens/x'],
    ['OPTIONS', '/api/tokens'],
    ['GET', '/api'],
    ['GET', '/'],
    ['GET', '//docs'],
    ['GET', '/%64ocs'],
    ['GET', '/tokens/x'],
  ])('by another spelling: %s %s', async (method, path) => {
    const head = requestHead(`${method} ${path}`, { host, 'bt-api-key': tenant.keys.public });
    expect((await sendRaw(url, head)).status).toBe(404);
  });

  it('of it is found at the vault', async () => {
    const all = listRoutes(true);
    expect(all.length).toBeGreaterThan(15);
    for (const { method, template } of all) {
      for (const one of [method, 'POST', 'OPTIONS']) {
        const { status, headers } = await vault.request(one, toPath(template));
        expect([one, template, status, headers.get('allow')]).toEqual([one, template, 404, null]);
      }
    }
  });

  it('than reading is possible', async () => {
    for (const path of ['/elements/field', '/elements/manifest.json', '/elements/check']) {
      const answer = await ask('POST', path, { body: {} });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
      expect((await ask('HEAD', path)).status).toBe(200);
    }
  });

  it('is allowed to the pages of others', async () => {
    const headers = { origin: 'https://shop.example', 'access-control-request-method': 'POST' };
    const answer = await ask('OPTIONS', '/api/tokens', { headers });
    expect([answer.status, answer.headers.get('access-control-allow-methods')]).toEqual([404, null]);
  });
});

describe('the API behind /api', () => {
  const body = { type: 'token', data: 'Sensitive Value' };

  it('is the API for the key of a public application', async () => {
    const created = await ask('POST', '/api/tokens', { key: tenant.keys.public, body });
    expect(created.status).toBe(201);
    const { id } = created.body as { id: string };
    expect((await vault.request('GET', `/tokens/${id}`, { key: tenant.keys.private })).status).toBe(200);
    // The key has no read access. The API decides this, not the elements origin.
    expect((await ask('GET', `/api/tokens/${id}`, { key: tenant.keys.public })).body).toMatchObject({
      status: 403,
      instance: '/tokens/{id}',
    });
  });

  it('is the API for the key of a session', async () => {
    const started = await ask('POST', '/api/sessions', { key: tenant.keys.public });
    expect(started.status).toBe(201);
    const { nonce, session_key: key } = started.body as { nonce: string; session_key: string };
    expect((await ask('POST', '/api/tokens', { key, body })).status).toBe(403);
    const { key: authorizer } = await createApplication(vault, tenant, {
      permissions: ['token:create', 'token:read'],
    });
    const authorize = { nonce, permissions: ['token:create'] };
    await vault.request('POST', '/sessions/authorize', { key: authorizer, body: authorize });
    expect((await ask('POST', '/api/tokens', { key, body })).status).toBe(201);
    expect((await ask('POST', '/api/sessions/authorize', { key: authorizer, body: authorize })).status).toBe(404);
  });

  it.each(['private', 'reveal', 'management'] as const)('refuses a %s key, and records that', async (kind) => {
    const before = (await vault.auditRecords(tenant.id)).length;
    for (const [method, path] of [
      ['POST', '/api/tokens'],
      ['GET', `/api/tokens/${anyId}`],
      ['POST', '/api/proxy'],
    ] as const) {
      const answer = await ask(method, path, { key: tenant.keys[kind], ...(method === 'POST' ? { body } : {}) });
      expect([answer.status, answer.text]).toEqual([
        403,
        expect.stringContaining('Card fields work with the key of a public application or of a session only.'),
      ]);
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    }
    const records = (await vault.auditRecords(tenant.id)).slice(before);
    expect(records.map(({ outcome }) => outcome)).toEqual(['denied', 'denied', 'denied']);
  });

  it('needs a key', async () => {
    expect((await ask('POST', '/api/tokens', { body })).status).toBe(401);
    expect((await ask('POST', '/api/tokens', { key: 'key_test_pub_x', body })).status).toBe(401);
  });
});

describe('the elements origin', () => {
  it('has set no cookie in any of these', () => {
    expect(cookies).toEqual([]);
  });

  it('writes neither a key nor a path of a visitor into the log', () => {
    const log = vault.logLines.join('\n');
    expect(log).toContain('"route":"/elements/field"');
    expect(log).not.toContain(idOf(tenant.keys.public));
  });
});
