import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../harness/deadline.ts';
import { ElementsBuild } from '../harness/elements-build.ts';
import { destinationHost, proxyErrorOf, ProxyVault } from '../harness/proxy-vault.ts';
import { requestHead, sendRaw } from '../harness/raw-http.ts';
import { createApplication } from '../harness/test-application.ts';

/* Previously, a script in a page with card fields could send its session's cards to any host. */
const host = 'elements.example.com';
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const secret = 'what a customer has typed';

let build: ElementsBuild;
let proxy: ProxyVault;
let elementsUrl: string;
let tokenId: string;
beforeAll(async () => {
  build = await ElementsBuild.make();
  proxy = await ProxyVault.start({ elements: { config: { url: `https://${host}`, port: 0 }, folder: build.folder } });
  elementsUrl = proxy.vault.server.elementsUrl ?? '';
  tokenId = await proxy.store(secret);
});
afterAll(async () => {
  await proxy.stop();
  await build.remove();
});

interface Authorizer {
  readonly id: string;
  readonly key: string;
}

const authorizer = (allowed: readonly string[] | null): Promise<Authorizer> =>
  createApplication(proxy.vault, proxy.tenant, { permissions: ['token:use'], allowed_destinations: allowed });

async function sessionOf({ key }: Authorizer): Promise<string> {
  const { body } = await proxy.vault.request('POST', '/sessions', { key: proxy.tenant.keys.public });
  const { session_key: session, nonce } = body as { session_key: string; nonce: string };
  const grant = { nonce, permissions: ['token:use'] };
  const { status } = await proxy.vault.request('POST', '/sessions/authorize', { key, body: grant });
  expect(status).toBe(200);
  return session;
}

interface Call {
  readonly path?: string;
  readonly method?: string;
}

/** Calls the proxy as the controller of a page with fields does, with a token in a header and in the body. */
function send(key: string, { path = '/api/proxy', method = 'POST' }: Call = {}) {
  return proxy.vault.request(method, path, {
    key,
    url: elementsUrl,
    headers: { 'bt-proxy-url': proxy.url, 'x-value': `{{ ${tokenId} }}` },
    ...(method === 'GET' ? {} : { body: { value: `{{ ${tokenId} }}` } }),
  });
}

const calls = ['/api/proxy', '/api/proxy/charges'].flatMap((path) => methods.map((method) => ({ path, method })));

describe('a session whose authorizer has no list of destinations', () => {
  it.each(calls)('403 for $method $path, and nothing is sent', async (call) => {
    const before = proxy.destination.seen.length;
    const answer = await send(await sessionOf(await authorizer(null)), call);
    expect(answer.status).toBe(403);
    expect(proxyErrorOf(answer)['detail']).toContain('Set allowed_destinations of that application');
    expect(proxy.destination.seen.length).toBe(before);
    expect((await proxy.records()).at(-1)).toMatchObject({
      operation: 'invoke',
      outcome: 'denied',
      destination: destinationHost,
    });
  });

  it.each([host, 'ELEMENTS.example.com', `${host}:443`])(
    '403 on the port of the API, with the name of the fields as Host: %s',
    async (name) => {
      const before = proxy.destination.seen.length;
      const key = await sessionOf(await authorizer(null));
      const head = requestHead('GET /api/proxy', { host: name, 'bt-api-key': key, 'bt-proxy-url': proxy.url });
      const { status } = await sendRaw(proxy.vault.server.url, head);
      expect([status, proxy.destination.seen.length]).toEqual([403, before]);
    },
  );

  it('may still be used outside of fields, where the operator did not require a list', async () => {
    const key = await sessionOf(await authorizer(null));
    expect((await proxy.call({ key })).status).toBe(200);
  });
});

describe('a session whose authorizer has a list', () => {
  it.each(calls)('200 for $method $path to a host in it', async (call) => {
    const answer = await send(await sessionOf(await authorizer([destinationHost])), call);
    expect(answer.status).toBe(200);
    expect(proxy.destination.last.head).toContain(secret);
  });

  it.each([[[]], [['other.example']], [['*.api.provider.example']]])('403 with the list %j', async (allowed) => {
    const before = proxy.destination.seen.length;
    const answer = await send(await sessionOf(await authorizer(allowed)));
    expect([answer.status, proxy.destination.seen.length]).toEqual([403, before]);
  });

  it('403 as soon as the list is taken away', async () => {
    const application = await authorizer([destinationHost]);
    const key = await sessionOf(application);
    const call = () => send(key);
    expect((await call()).status).toBe(200);
    const { status } = await proxy.vault.request('PUT', `/applications/${application.id}`, {
      key: proxy.tenant.keys.management,
      body: { name: 'Test', permissions: ['token:use'] },
    });
    expect(status).toBe(200);
    await untilTrue(async () => (await call()).status === 403, { waitingFor: 'the list to be gone' });
  });
});

describe('other keys in fields', () => {
  it.each(['public', 'private', 'management'] as const)('403 for a %s key, with or without a list', async (kind) => {
    const answer = await send(proxy.tenant.keys[kind]);
    expect(answer.status).toBe(403);
  });
});
