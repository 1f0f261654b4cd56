import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutTraceId } from '../../../test/harness/problem-text.ts';
import { createQuietEdge } from '../../../test/harness/quiet-edge.ts';
import { requestHead, sendRaw } from '../../../test/harness/raw-http.ts';
import { uuidV7 } from '../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { encodeBase58 } from '../../core/identity/base58.ts';
import { generateApiKey } from '../../platform/keyring/sign-in/api-key.ts';
import { problemCatalog } from '../problems/problem-catalog.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

/** Replaces `{long}` with a text longer than any id can be. This keeps test names short. */
const withLongId = (path: string) => path.replace('{long}', 'x'.repeat(9_000));

describe('401', () => {
  const problem = (detail: string) => ({
    type: '/docs/errors/unauthenticated',
    title: 'Unauthorized',
    status: 401,
    detail,
    instance: '/tokens/{id}',
    trace_id: expect.stringMatching(uuidV7),
  });
  const invalid = problem('The key in the BT-API-KEY header is not valid.');
  const answerTo = (key?: string) => vault.request('GET', '/tokens/none', key === undefined ? {} : { key });

  it.each([undefined, ''])('asks for the header when it is %j', async (key) => {
    const answer = await answerTo(key);
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(answer).toMatchObject({ status: 401, body: problem('The BT-API-KEY header is required.') });
  });

  const known = () => tenant.keys.private;
  /** Replaces a character by another one of the alphabet, so that the format stays valid. */
  const mistype = (text: string, at: number) =>
    `${text.slice(0, at)}${text[at] === 'a' ? 'b' : 'a'}${text.slice(at + 1)}`;
  /** Returns the id of a known key with another secret and a matching checksum. */
  const withOtherSecret = () => {
    const [prefix, environment, kind, random = ''] = known().split('_');
    const other = generateApiKey('test', 'pvt').text.split('_')[3] ?? '';
    const body = [prefix, environment, kind, random.slice(0, 22) + other.slice(22)].join('_');
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(body));
    return `${body}_${encodeBase58(sum)}`;
  };
  it.each<[string, () => string]>([
    ['garbage', () => 'garbage'],
    ['a key without its checksum', () => known().slice(0, known().lastIndexOf('_'))],
    ['a typing error in the secret', () => mistype(known(), 60)],
    ['a typing error in the checksum', () => mistype(known(), known().length - 1)],
    ['a key that was never issued', () => generateApiKey('test', 'pvt').text],
    ['a known id with another secret', withOtherSecret],
    ['a key in capitals', () => known().toUpperCase()],
    ['two keys', () => `${known()}, ${known()}`],
    ['a very long text', () => 'key_test_pvt_'.padEnd(10_000, '1')],
    ['SQL', () => `' or 1=1 --`],
    ['letters outside of ASCII', () => 'schlüssel'],
  ])('refuses %s in the same words, also where the right key was just used', async (_name, key) => {
    expect((await answerTo(known())).status).not.toBe(401);
    const answer = await answerTo(key());
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual(invalid);
  });

  it('comes before the body is looked at', async () => {
    const answer = await vault.request('POST', '/tokens', { rawBody: '{', headers: { 'content-type': 'text/plain' } });
    expect(answer.status).toBe(401);
  });
});

describe('the documentation of errors', () => {
  it.each(Object.keys(problemCatalog))('has a page about %s', async (code) => {
    const page = await vault.request('GET', `/docs/errors/${code}`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.text).toContain(`<h1>${code}</h1>`);
  });

  it('lists every page', async () => {
    const index = await vault.request('GET', '/docs/errors');
    expect(index.headers.get('content-type')).toBe('text/html; charset=utf-8');
    for (const code of Object.keys(problemCatalog)) expect(index.text).toContain(`href="/docs/errors/${code}"`);
  });

  it('is where the type of a problem leads', async () => {
    const { type } = (await vault.request('GET', '/nowhere')).body as { type: string };
    expect((await vault.request('GET', type)).text).toContain('<h1>not-found</h1>');
  });

  it.each(['nothing', 'constructor', '__proto__', '..%2f..%2fetc%2fpasswd'])(
    '404 for a page about %s',
    async (code) => {
      const answer = await vault.request('GET', `/docs/errors/${code}`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
      expect(answer.text).toContain('<h1>Not Found</h1>');
    },
  );
});

describe('BT-TRACE-ID', () => {
  const echoOf = async (id: string) =>
    (await vault.request('GET', '/roles', { key: tenant.keys.public, headers: { 'bt-trace-id': id } })).headers.get(
      'bt-trace-id',
    );

  it.each(['a', 'A-b_c.d:9', 'x'.repeat(100), crypto.randomUUID()])('comes back as it was sent: %s', async (id) => {
    expect(await echoOf(id)).toBe(id);
  });

  it.each(['', 'x'.repeat(101), 'a b', 'a,b', 'é', '<script>', 'a/b', "'", '{{data}}'])(
    'is replaced when it is %s',
    async (id) => {
      expect(await echoOf(id)).toMatch(uuidV7);
    },
  );

  it('is made when there is none, a new one each time', async () => {
    const answers = await Promise.all([1, 2].map(() => vault.request('GET', '/nowhere')));
    const [first, second] = answers.map(({ headers }) => headers.get('bt-trace-id') ?? '');
    expect(first).toMatch(uuidV7);
    expect(second).not.toBe(first);
  });

  it.each([
    ['a line end', 'a\r\nx-injected: 1'],
    ['a bare line feed', 'a\nx-injected: 1'],
    ['a folded line', 'a\r\n x-injected: 1'],
    ['a NUL', 'a\0b'],
    ['raw bytes', 'a\xff\xfe'],
  ])('never brings %s into the answer', async (_name, id) => {
    const answer = await sendRaw(vault.server.url, requestHead('GET /nowhere', { 'bt-trace-id': id }));
    expect([400, 404]).toContain(answer.status);
    expect(answer.headers).not.toHaveProperty('x-injected');
    expect(answer.headers['bt-trace-id'] ?? 'a').toMatch(/^[A-Za-z0-9-]+$/);
  });

  it('is replaced when it is sent twice', async () => {
    const head = requestHead('GET /nowhere', { 'bt-trace-id': 'one\r\nbt-trace-id: two' });
    expect((await sendRaw(vault.server.url, head)).headers['bt-trace-id']).toMatch(uuidV7);
  });
});

describe('every answer', () => {
  const paths = [
    '/roles',
    '/tokens/none',
    '/nowhere',
    '/docs/errors',
    '/openapi.json',
    '/tokens/%zz',
    '/tokens/{long}',
  ];
  it.each(paths)('of %s may not be stored or guessed at, and carries a trace id', async (path) => {
    const answer = await vault.request('GET', withLongId(path), { key: tenant.keys.private });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('bt-trace-id')).toMatch(uuidV7);
    expect(answer.status).toBeLessThan(500);
  });

  it.each([
    '/roles/',
    '/permissions/?application_type=public',
    '/applications/key/',
    '/tokens/none/',
    '/openapi.json/',
  ])('is the same with a slash at the end: %s', async (path) => {
    const send = (one: string) => vault.request('GET', one, { key: tenant.keys.private });
    const [with_, without] = await Promise.all([send(path), send(path.replace(/\/(?=$|\?)/, ''))]);
    expect([with_.status, withoutTraceId(with_.text)]).toEqual([without.status, withoutTraceId(without.text)]);
  });

  it('has no body for HEAD, and the same status', async () => {
    const head = (key?: string) => vault.request('HEAD', '/roles', key === undefined ? {} : { key });
    expect(await head(tenant.keys.public)).toMatchObject({ status: 200, text: '' });
    expect(await head()).toMatchObject({ status: 401, text: '' });
  });

  it('takes a slash at the end of a path that is written to', async () => {
    const body = { type: 'token', data: 1 };
    expect((await vault.request('POST', '/tokens/', { key: tenant.keys.private, body })).status).toBe(201);
  });
});

describe('404', () => {
  it.each([
    ['GET', '/nowhere'],
    ['GET', '/tokens/a/b'],
    ['GET', '/TOKENS/none'],
    ['GET', '//tokens/none'],
    ['GET', '/tokens/%zz'],
    ['GET', '/tokens/{long}'],
    ['GET', '/livez'],
    ['OPTIONS', '/nowhere'],
    ['PROPFIND', '/nowhere'],
    ['DELETE', '/tokens/a/b'],
  ])('for %s %s, with or without a key', async (method, path) => {
    for (const key of [tenant.keys.management, tenant.keys.private, undefined]) {
      const answer = await vault.request(method, withLongId(path), key === undefined ? {} : { key });
      expect(answer.status).toBe(404);
      expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
      expect(answer.body).toMatchObject({ type: '/docs/errors/not-found', title: 'Not Found', status: 404 });
    }
  });

  it.each(['text/plain', 'application/json', 'nonsense'])('for a body of type %s that nobody reads', async (type) => {
    const answer = await vault.request('POST', '/nowhere', { rawBody: '{', headers: { 'content-type': type } });
    expect(answer.status).toBe(404);
  });

  it('never repeats the path', async () => {
    for (const path of ['/canary', '/tokens/canary', '/canary%zz', withLongId('/tokens/canary{long}')]) {
      expect((await vault.request('GET', path, { key: tenant.keys.private })).text).not.toContain('canary');
    }
  });
});

describe('405', () => {
  const anyId = crypto.randomUUID();
  const cases: [string, string, string][] = [
    ['PATCH', '/applications', 'GET, HEAD, POST, OPTIONS'],
    ['POST', '/tenants/self', 'GET, HEAD, PUT, DELETE, OPTIONS'],
    ['DELETE', '/roles/', 'GET, HEAD, OPTIONS'],
    ['PROPFIND', '/tokens?type=card', 'GET, HEAD, POST, OPTIONS'],
    ['PUT', `/tokens/${anyId}`, 'GET, HEAD, PATCH, DELETE, OPTIONS'],
    ['POST', '/applications/key', 'GET, HEAD, PUT, DELETE, OPTIONS'],
    ['HEAD', '/proxy/a/b', 'GET, POST, PUT, PATCH, DELETE, OPTIONS'],
    ['POST', '/openapi.json', 'GET, HEAD, OPTIONS'],
  ];

  it.each(cases)('for %s %s, with the methods that there are', async (method, path, allowed) => {
    const answer = await vault.request(method, path, method === 'HEAD' ? {} : { rawBody: '{' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allowed]);
    if (method === 'HEAD') return;
    expect(answer.body).toMatchObject({
      type: '/docs/errors/method-not-allowed',
      detail: `This path supports ${allowed}.`,
      trace_id: answer.headers.get('bt-trace-id'),
    });
  });

  it('is the same with any key and for things of any tenant: the path decides alone', async () => {
    const other = await vault.makeTenant();
    const { id } = (
      await vault.request('POST', '/tokens', { key: tenant.keys.private, body: { type: 'token', data: 1 } })
    ).body as { id: string };
    const answers: string[] = [];
    for (const token of [id, anyId]) {
      for (const key of [tenant.keys.private, tenant.keys.public, other.keys.private, 'nonsense', undefined]) {
        const answer = await vault.request('PUT', `/tokens/${token}`, key === undefined ? {} : { key });
        answers.push(`${answer.status} ${answer.headers.get('allow')} ${withoutTraceId(answer.text)}`);
      }
    }
    expect(new Set(answers).size).toBe(1);
  });

  it('is what every path says to every method that it does not have', async () => {
    const { paths } = (await vault.request('GET', '/openapi.json')).body as { paths: Record<string, object> };
    for (const [path, operations] of Object.entries(paths)) {
      const url = path.replaceAll(/\{[^}]+\}/g, anyId);
      const options = await vault.request('OPTIONS', url);
      const allowed = options.headers.get('allow')?.split(', ') ?? [];
      expect([path, options.status, options.text]).toEqual([path, 204, '']);
      expect(allowed).toEqual(expect.arrayContaining(Object.keys(operations).map((method) => method.toUpperCase())));
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        const { status } = await vault.request(method, url);
        expect([method, path, status === 405]).toEqual([method, path, !allowed.includes(method)]);
      }
    }
  });
});

describe('the trace id of a problem', () => {
  it.each([
    ['GET', '/nowhere', {}],
    ['PUT', '/tokens', {}],
    ['GET', '/tokens/%zz', {}],
    ['GET', '/roles', {}],
    ['POST', '/tokens', { 'bt-trace-id': 'mine' }],
  ])('is in the body of %s %s as in its header', async (method, path, headers) => {
    const { body, headers: answered } = await vault.request(method, path, { headers });
    expect(body).toMatchObject({ trace_id: answered.get('bt-trace-id') });
    if ('bt-trace-id' in headers) expect(body).toMatchObject({ trace_id: 'mine' });
  });

  it('is in what the proxy says, and in the log', async () => {
    const { status, body } = await vault.request('GET', '/proxy', {
      key: tenant.keys.private,
      headers: { 'bt-trace-id': 'proxied' },
    });
    expect({ status, body }).toMatchObject({ status: 400, body: { proxy_error: { trace_id: 'proxied' } } });
    expect(vault.logLines.join()).toContain('"trace_id":"proxied"');
  });

  it('is in the response to bytes that are not HTTP, and in the log', async () => {
    const answer = await sendRaw(vault.server.url, 'nonsense\r\n\r\n');
    const { trace_id } = JSON.parse(answer.body) as { trace_id: string };
    expect(trace_id).toMatch(uuidV7);
    expect(answer.headers['bt-trace-id']).toBe(trace_id);
    expect(vault.logLines.join()).toContain(trace_id);
  });
});

describe('a problem on a path of pages', () => {
  it.each(['/portal/nowhere', '/docs/nowhere', '/docs/errors/nothing', '/portal/links/none', '/portal/%zz'])(
    'is a page: %s',
    async (path) => {
      const answer = await vault.request('GET', path);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
      expect(answer.text).toContain('<link rel="stylesheet" href="/portal/assets/portal.css">');
      expect(answer.text).toContain(`<code>${answer.headers.get('bt-trace-id')}</code>`);
      expect(answer.headers.get('content-security-policy')).toContain(`default-src 'none'`);
      expect(answer.headers.get('x-frame-options')).toBe('DENY');
    },
  );

  it('is a page for what went wrong inside as well, and is logged', async () => {
    await vault.database.owner.query('alter table user_sessions rename to gone');
    try {
      const cookie = `__Host-strongroom_session=${'1'.repeat(44)}`;
      const answer = await vault.request('GET', '/portal/', { headers: { cookie, 'bt-trace-id': 'inside' } });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([500, 'text/html; charset=utf-8']);
      expect(answer.text).toContain('<code>inside</code>');
    } finally {
      await vault.database.owner.query('alter table gone rename to user_sessions');
    }
    expect(vault.logLines.filter((line) => line.includes('"trace_id":"inside"')).join()).toContain('42P01');
  });

  it('is not one where a path only begins alike', async () => {
    for (const path of ['/portals', '/docsx', '/documents/1']) {
      expect((await vault.request('GET', path)).body).toMatchObject({ status: 404 });
    }
  });
});

describe('a route without a permission', () => {
  it.each(['/open', '/docs/open'])('stops the start: %s', async (path) => {
    const app = await createQuietEdge();
    expect(() => app.get(path, () => 'hello')).toThrow(/declares no permission/);
    expect(() => app.get(path, { config: {} }, () => 'hello')).toThrow(/declares no permission/);
    await app.close();
  });

  it('is fine once it has one', async () => {
    const app = await createQuietEdge();
    app.get('/open', { config: { permission: 'public' } }, () => 'hello');
    await app.ready();
    await app.close();
  });
});
