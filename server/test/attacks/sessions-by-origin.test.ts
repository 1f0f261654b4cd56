import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ElementsBuild } from '../harness/elements-build.ts';
import { requestHead, sendRaw } from '../harness/raw-http.ts';
import { createApplication } from '../harness/test-application.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/*
 * A nonce does not reveal where its session was created. Previously, a script in a shop's page could create a session
 * itself and pass its nonce to the shop, as the card fields do. The script then had the key of a session that reveals a
 * card.
 */
const own = 'https://elements.example.com';
const shop = 'https://shop.example';
let build: ElementsBuild;
let vault: TestVault;
let tenant: TestTenant;
let withoutFields: string;
beforeAll(async () => {
  build = await ElementsBuild.make();
  vault = await TestVault.start(undefined, { elements: { config: { url: own, port: 0 }, folder: build.folder } });
  withoutFields = (await vault.startAnother()).url;
  tenant = await vault.makeTenant();
  const body = { id: 'card', type: 'token', data: 'plaintext', containers: ['/a/'] };
  expect((await vault.request('POST', '/tokens', { key: tenant.keys.private, body })).status).toBe(201);
});
afterAll(async () => {
  await vault.stop();
  await build.remove();
});

type Headers = Readonly<Record<string, string>>;
interface Session {
  readonly session_key: string;
  readonly nonce: string;
}

const fields = () => `${vault.server.elementsUrl}/api`;
const rules = [
  { priority: 1, container: '/a/', transform: 'reveal', permissions: ['token:read'] },
  { priority: 2, container: '/b/', transform: 'mask', permissions: ['token:create'] },
];

async function create(url: string, headers: Headers, key = tenant.keys.public): Promise<Session> {
  const answer = await vault.request('POST', '/sessions', { key, url, headers });
  expect(answer.status).toBe(201);
  return answer.body as Session;
}

const authorize = (nonce: string, more: object = { origin: 'elements' }) =>
  vault.request('POST', '/sessions/authorize', { key: tenant.keys.reveal, body: { nonce, rules, ...more } });

async function openInFrame(more?: object): Promise<Session> {
  const session = await create(fields(), { origin: own });
  expect((await authorize(session.nonce, more)).status).toBe(200);
  return session;
}

const read = (key: string, url: string, headers: Headers = {}) =>
  vault.request('GET', '/tokens/card', { key, url, headers });

describe('a session is authorized for the origin of the card fields', () => {
  it.each<[string, Headers]>([
    ['the frame', { origin: own }],
    ['the frame in a browser that says so twice', { origin: own, 'sec-fetch-site': 'same-origin' }],
  ])('if %s has created it', async (_name, headers) => {
    const { session_key, nonce } = await create(fields(), headers);
    expect((await authorize(nonce)).status).toBe(200);
    expect(await read(session_key, fields())).toMatchObject({ status: 200, body: { data: 'plaintext' } });
  });

  it.each<[string, Headers]>([
    ['a program that says nothing', {}],
    ['a page of the shop', { origin: shop }],
    ['a page of the shop, as browsers say it', { origin: shop, 'sec-fetch-site': 'cross-site' }],
    ['a page of the vault', { origin: 'http://localhost' }],
    ['a page without an origin', { origin: 'null' }],
    ['a page without an origin, in a frame of this one', { origin: 'null', 'sec-fetch-site': 'same-origin' }],
    ['an empty origin', { origin: '' }],
    ['a page of a name below', { origin: 'https://a.elements.example.com' }],
    ['a page of a name that begins alike', { origin: 'https://elements.example.com.evil.example' }],
    ['a page of a name that ends alike', { origin: 'https://evil-elements.example.com' }],
    ['another scheme', { origin: 'http://elements.example.com' }],
    ['another port', { origin: 'https://elements.example.com:8443' }],
    ['the port that browsers leave out', { origin: 'https://elements.example.com:443' }],
    ['another case', { origin: 'HTTPS://ELEMENTS.EXAMPLE.COM' }],
    ['a slash behind it', { origin: `${own}/` }],
    ['a user in it', { origin: 'https://x@elements.example.com' }],
    ['two origins', { origin: `${own}, ${shop}` }],
    ['two origins, the other one first', { origin: `${shop}, ${own}` }],
    ['the frame for another site', { origin: own, 'sec-fetch-site': 'cross-site' }],
    ['the frame for a name of the same site', { origin: own, 'sec-fetch-site': 'same-site' }],
    ['the frame for the address bar', { origin: own, 'sec-fetch-site': 'none' }],
    ['the frame with an empty site', { origin: own, 'sec-fetch-site': '' }],
    ['a referrer in place of an origin', { referer: `${own}/elements/controller` }],
    ['a site in place of an origin', { 'sec-fetch-site': 'same-origin' }],
  ])('not if it was %s', async (_name, headers) => {
    const { session_key, nonce } = await create(fields(), headers);
    const answer = await authorize(nonce);
    expect(answer).toMatchObject({ status: 403, body: { type: '/docs/errors/forbidden' } });
    expect((answer.body as { detail: string }).detail).toContain('not created on the origin of the card fields');
    expect((await read(session_key, fields())).status).toBe(403);
  });

  it.each<[string, Headers]>([
    ['with the origin of the fields', { origin: own }],
    ['as a page of that origin', { origin: own, 'sec-fetch-site': 'same-origin' }],
    ['through a proxy that was told another host', { origin: own, 'x-forwarded-host': 'elements.example.com' }],
    ['with a host in another header', { origin: own, forwarded: 'host=elements.example.com', 'x-host': own }],
  ])('not if it was created on the API, %s', async (_name, headers) => {
    for (const url of [vault.server.url, withoutFields])
      expect((await authorize((await create(url, headers)).nonce)).status).toBe(403);
  });

  it.each<[string, string, readonly string[], number]>([
    ['the name', '/api/sessions', ['host: elements.example.com', `origin: ${own}`], 200],
    ['the name with its port', '/api/sessions', ['host: elements.example.com:443', `origin: ${own}`], 200],
    ['the name in capitals', '/api/sessions', ['host: ELEMENTS.example.com', `origin: ${own}`], 200],
    ['another name', '/sessions', ['host: vault.example', `origin: ${own}`], 403],
    ['another port', '/sessions', ['host: elements.example.com:8443', `origin: ${own}`], 403],
    ['a name that goes on', '/sessions', ['host: elements.example.com.evil.example', `origin: ${own}`], 403],
    ['a dot behind the name', '/sessions', ['host: elements.example.com.', `origin: ${own}`], 403],
    [
      'the name, and two origins',
      '/api/sessions',
      ['host: elements.example.com', `origin: ${own}`, `origin: ${shop}`],
      403,
    ],
    [
      'the name, and its origin twice',
      '/api/sessions',
      ['host: elements.example.com', `origin: ${own}`, `Origin: ${own}`],
      403,
    ],
    [
      'the name, and two sites',
      '/api/sessions',
      ['host: elements.example.com', `origin: ${own}`, 'sec-fetch-site: same-origin', 'sec-fetch-site: cross-site'],
      403,
    ],
  ])('on a port that both share, by the host: %s', async (_name, path, headers, status) => {
    const answer = await sendRaw(
      vault.server.url,
      [`POST ${path} HTTP/1.1`, ...headers, `bt-api-key: ${tenant.keys.public}`, 'connection: close', '', ''].join(
        '\r\n',
      ),
    );
    expect(answer.status).toBe(201);
    const { nonce } = JSON.parse(answer.body) as Session;
    expect((await authorize(nonce)).status).toBe(status);
  });

  it('not if the port of the fields was reached by another name, whose pages may be anybody else', async () => {
    const headers = { host: 'evil.example', origin: 'http://evil.example', 'bt-api-key': tenant.keys.public };
    const answer = await sendRaw(vault.server.elementsUrl ?? '', requestHead('POST /api/sessions', headers));
    expect(answer.status).toBe(201);
    expect((await authorize((JSON.parse(answer.body) as Session).nonce)).status).toBe(403);
  });

  it('not for a request with two hosts', async () => {
    const lines = ['host: elements.example.com', 'host: vault.example', `origin: ${own}`, 'connection: close'];
    const bytes = ['POST /api/sessions HTTP/1.1', ...lines, `bt-api-key: ${tenant.keys.public}`, '', ''].join('\r\n');
    expect((await sendRaw(vault.server.url, bytes)).status).toBe(400);
  });

  it('not with a nonce that has been used, is unknown or of another tenant', async () => {
    const { nonce } = await openInFrame();
    expect((await authorize(nonce)).status).toBe(409);
    expect((await authorize('unknown')).status).toBe(404);
    const stranger = await vault.makeTenant();
    const foreign = await create(fields(), { origin: own }, stranger.keys.public);
    expect((await authorize(foreign.nonce)).status).toBe(404);
  });

  it('and a refusal uses no nonce up and leaves a record', async () => {
    const session = await create(vault.server.url, {});
    expect((await authorize(session.nonce)).status).toBe(403);
    const records = await vault.auditRecords(tenant.id);
    expect(records.at(-1)).toMatchObject({ entity_type: 'session', operation: 'authorize', outcome: 'denied' });
    expect((await authorize(session.nonce, {})).status).toBe(200);
    expect((await read(session.session_key, vault.server.url)).status).toBe(200);
  });

  it.each([['shop'], ['Elements'], [''], [5], [['elements']], [{}], [true]])('never for %j', async (origin) => {
    const { nonce } = await create(fields(), { origin: own });
    expect((await authorize(nonce, { origin })).status).toBe(400);
  });

  it('and is told from others in the log', async () => {
    await openInFrame();
    const records = (await vault.auditRecords(tenant.id)).filter(({ entity_type }) => entity_type === 'session');
    for (const { details } of records.slice(-2)) expect(details).toContain('"origin added: elements"');
  });
});

describe('the key of a session that a frame has created', () => {
  it.each<[string, object]>([
    ['for that origin', { origin: 'elements' }],
    ['without a word about it', {}],
    ['with null in place of it', { origin: null }],
  ])('works in frames only, however it was authorized: %s', async (_name, more) => {
    const { session_key } = await openInFrame(more);
    expect((await read(session_key, fields())).status).toBe(200);
    const answer = await read(session_key, vault.server.url);
    expect(answer).toMatchObject({ status: 403, body: { type: '/docs/errors/forbidden' } });
    expect(answer.text).not.toContain('plaintext');
    expect((await read(session_key, withoutFields)).status).toBe(403);
  });

  it.each<[string, number, Headers]>([
    ['as a frame reads', 200, {}],
    ['as a frame reads in a browser of today', 200, { 'sec-fetch-site': 'same-origin' }],
    ['with its own origin', 200, { origin: own }],
    ['from a page of the shop', 403, { origin: shop }],
    ['from a page of the shop that leaves its origin out', 403, { 'sec-fetch-site': 'cross-site' }],
    ['from a page of the same site', 403, { 'sec-fetch-site': 'same-site' }],
    ['from the address bar', 403, { 'sec-fetch-site': 'none' }],
    ['from a page without an origin', 403, { origin: 'null' }],
    ['from an empty origin', 403, { origin: '' }],
    ['from a page of the vault', 403, { origin: 'http://localhost' }],
    ['from its own origin in capitals', 403, { origin: own.toUpperCase() }],
    ['from its own origin and another', 403, { origin: `${own}, ${shop}` }],
    ['from its own origin for another site', 403, { origin: own, 'sec-fetch-site': 'cross-site' }],
  ])('reads %s: %i', async (_name, status, headers) => {
    const { session_key } = await openInFrame();
    const answer = await read(session_key, fields(), headers);
    expect(answer.status).toBe(status);
    expect(answer.text.includes('plaintext')).toBe(status === 200);
  });

  it.each<[string, number, Headers]>([
    ['as a frame writes', 201, { origin: own }],
    ['without an origin, which browsers send with every write', 403, {}],
    ['with a site alone', 403, { 'sec-fetch-site': 'same-origin' }],
    ['from a page of the shop', 403, { origin: shop }],
    ['from a page without an origin', 403, { origin: 'null' }],
  ])('writes %s: %i', async (_name, status, headers) => {
    const { session_key: key } = await openInFrame();
    const body = { type: 'token', data: 'x', containers: ['/b/'] };
    expect((await vault.request('POST', '/tokens', { key, url: fields(), headers, body })).status).toBe(status);
  });

  it('is refused elsewhere with a record of who tried, also while it waits for its authorization', async () => {
    const waiting = await create(fields(), { origin: own });
    expect((await read(waiting.session_key, vault.server.url)).status).toBe(403);
    const { session_key } = await openInFrame();
    await read(session_key, vault.server.url, { origin: own });
    expect((await vault.auditRecords(tenant.id)).at(-1)).toMatchObject({
      actor_type: 'session',
      operation: 'read',
      outcome: 'denied',
    });
  });

  it('works in frames of an application that lists its origins, and in no page of these', async () => {
    const { key } = await createApplication(vault, tenant, {
      type: 'public',
      permissions: [],
      allowed_origins: [shop],
    });
    const session = await create(fields(), { origin: own }, key);
    expect((await authorize(session.nonce)).status).toBe(200);
    expect((await read(session.session_key, fields())).status).toBe(200);
    for (const url of [fields(), vault.server.url])
      expect((await read(session.session_key, url, { origin: shop })).status).toBe(403);
    const scripted = await create(fields(), { origin: shop }, key);
    expect((await authorize(scripted.nonce)).status).toBe(403);
  });
});

describe('a session that no frame has created', () => {
  it('works on both, as before', async () => {
    const { session_key, nonce } = await create(vault.server.url, {});
    expect((await authorize(nonce, {})).status).toBe(200);
    for (const url of [vault.server.url, withoutFields, fields()])
      expect((await read(session_key, url, { origin: shop })).status).toBe(200);
  });
});
