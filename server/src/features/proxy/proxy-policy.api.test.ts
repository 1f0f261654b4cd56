import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { destinationHost, proxyErrorOf, ProxyVault } from '../../../test/harness/proxy-vault.ts';
import { createApplication, fieldsOf, uuidV4 } from '../../../test/harness/test-application.ts';
import { answerOk } from '../../../test/harness/tls-destination.ts';

let proxy: ProxyVault;
/** Work that the next request to the destination runs once, before the destination responds. */
let meanwhile: (() => Promise<unknown>) | undefined;
beforeAll(async () => {
  proxy = await ProxyVault.start({
    callsPerTenantMax: 3,
    behaviour: (socket) => {
      const work = meanwhile?.() ?? Promise.resolve();
      meanwhile = undefined;
      void work.then(() => answerOk(socket));
    },
  });
});
afterAll(() => proxy.stop());

const json = { 'content-type': 'application/json' };
const trace = () => crypto.randomUUID();
/** Returns the audit records of the request with this trace id, once its call has been settled. */
async function recordsOf(traceId: string, count: number): Promise<Record<string, unknown>[]> {
  const look = async () =>
    (await proxy.vault.auditRecords(proxy.tenant.id)).filter((record) => record['request_id'] === traceId);
  await untilTrue(async () => (await look()).length >= count, { waitingFor: `${count} records` });
  return look();
}

describe('400', () => {
  it('without BT-PROXY-URL', async () => {
    const answer = await proxy.vault.request('GET', '/proxy', { key: proxy.tenant.keys.private });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('bt-proxy-destination-status')).toBeNull();
    expect(answer.body).toEqual({
      proxy_error: {
        type: '/docs/errors/validation-failed',
        title: 'Invalid proxy request',
        status: 400,
        detail: 'The BT-PROXY-URL header is required.',
        instance: '/proxy',
        trace_id: answer.headers.get('bt-trace-id'),
      },
    });
  });

  it('for unknown tokens, in the words that clients know; nothing is sent', async () => {
    const before = proxy.destination.seen.length;
    const answer = await proxy.call({ body: '{"a":"{{ no-such }}","b":"{{ nor-this }}"}', headers: json });
    expect([answer.status, proxyErrorOf(answer)]).toMatchObject([
      400,
      {
        title: 'Invalid proxy request',
        detail: 'Failed to detokenize some tokens: no-such, nor-this. Tokens were not found.',
      },
    ]);
    expect(proxy.destination.seen).toHaveLength(before);
  });

  it.each([
    ['an unfinished expression', '{"a":"{{ x"}', json],
    ['an unknown filter', '{"a":"{{ xyz | nothing }}"}', json],
    ['JSON that is none', '{"a":{{ xyz }}}', json],
    ['a header', '', { 'x-value': '{{ x' }],
  ])('for %s', async (_name, body, headers) => {
    const answer = await proxy.call({ body, headers });
    expect([answer.status, proxyErrorOf(answer)['title']]).toEqual([400, 'Invalid proxy request']);
  });

  it('for a GET with a body', async () => {
    const { url } = proxy.vault.server;
    const { request } = await import('node:http');
    const status = await new Promise((resolve, reject) => {
      const headers = { 'bt-api-key': proxy.tenant.keys.private, 'bt-proxy-url': proxy.url, 'content-length': '3' };
      request(`${url}/proxy`, { method: 'GET', headers }, (answer) => resolve(answer.statusCode))
        .on('error', reject)
        .end('abc');
    });
    expect(status).toBe(400);
  });

  it('for more than a hundred tokens', async () => {
    const body = JSON.stringify(Array.from({ length: 101 }, (_, index) => `{{ token-${index} }}`));
    expect((await proxy.call({ body, headers: json })).status).toBe(400);
  });
});

describe('401', () => {
  it.each([undefined, 'key_test_pvt_nonsense'])('with the key %j, in the words that clients know', async (key) => {
    const headers = { 'bt-proxy-url': proxy.url };
    const answer = await proxy.vault.request('GET', '/proxy/x', key === undefined ? { headers } : { key, headers });
    expect([answer.status, proxyErrorOf(answer)]).toMatchObject([
      401,
      { title: 'Unauthorized proxy request', detail: 'The BT-API-KEY header is required', status: 401 },
    ]);
  });
});

describe('403', () => {
  it('without token:use, in the words that clients know, also when nothing is detokenized', async () => {
    const { key } = await createApplication(proxy.vault, proxy.tenant, { permissions: ['token:read'] });
    const answer = await proxy.call({ key });
    expect([answer.status, proxyErrorOf(answer)['detail']]).toEqual([403, 'Missing permission: token:use']);
  });

  it.each(['public', 'management'] as const)('with the key of a %s application', async (type) => {
    expect((await proxy.call({ key: proxy.tenant.keys[type] })).status).toBe(403);
  });

  it('for a token in a container that the rules do not cover; nothing is sent, one denial is recorded', async () => {
    const id = await proxy.store('elsewhere', { containers: ['/elsewhere/'] });
    const { key } = await createApplication(proxy.vault, proxy.tenant, {
      permissions: [],
      rules: [{ priority: 1, container: '/pci/', transform: 'reveal', permissions: ['token:use'] }],
    });
    const [before, traceId] = [proxy.destination.seen.length, trace()];
    const headers = { ...json, 'bt-trace-id': traceId };
    const answer = await proxy.call({ key, body: `"{{ ${id} }}"`, headers });
    expect([answer.status, proxyErrorOf(answer)['detail']]).toEqual([
      403,
      'Missing permission: token:use on container /elsewhere/',
    ]);
    expect(proxy.destination.seen).toHaveLength(before);
    expect(await recordsOf(traceId, 1)).toMatchObject([
      { entity_type: 'proxy', operation: 'invoke', outcome: 'denied', destination: destinationHost },
    ]);
  });

  it('when the tenant has switched the proxy off, and no longer when it is on again', async () => {
    const tenant = await proxy.vault.makeTenant();
    const switchTo = (value: string) =>
      proxy.vault.request('PUT', '/tenants/self', {
        key: tenant.keys.management,
        body: { name: 'T', settings: { disable_ephemeral_proxy: value } },
      });
    const statusIs = (status: number) =>
      untilTrue(async () => (await proxy.call({ key: tenant.keys.private })).status === status, {
        waitingFor: `${status}`,
      });
    await statusIs(200);
    await switchTo('true');
    await statusIs(403);
    await switchTo('false');
    await statusIs(200);
  });
});

describe('allowed_destinations', () => {
  const callWith = async (allowed: readonly string[] | null) => {
    const { key } = await createApplication(proxy.vault, proxy.tenant, {
      permissions: ['token:use'],
      allowed_destinations: allowed,
    });
    return proxy.call({ key });
  };

  it.each([
    [[destinationHost], 200],
    [['API.Provider.EXAMPLE'], 200],
    [['*.provider.example'], 200],
    [['other.example', destinationHost], 200],
    [null, 200],
    [[], 403],
    [['provider.example'], 403],
    [['*.api.provider.example'], 403],
    [['*.other.example'], 403],
    [['api.provider.example.org'], 403],
  ])('%j answers %d', async (allowed, status) => {
    expect((await callWith(allowed)).status).toBe(status);
  });

  it.each(
    [
      '*',
      '*.example',
      '*.*.example.com',
      'a.*.example.com',
      'https://a.example',
      'a.example/x',
      'a.example:443',
    ].concat(['127.0.0.1', '[::1]', 'a b.example', '', 'ex\u00e4mple.com', '-a.example', '\u212aelvin.example']),
  )('400 for the entry %j', async (entry) => {
    const body = {
      name: 'x',
      type: 'private',
      permissions: ['token:use'],
      allowed_destinations: ['ok.example', entry],
    };
    const answer = await proxy.vault.request('POST', '/applications', { key: proxy.tenant.keys.management, body });
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['allowed_destinations.1']]);
  });

  it.each(['public', 'management'])('400 for a %s application, which calls nothing', async (type) => {
    const permissions = [type === 'public' ? 'token:create' : 'tenant:read'];
    const body = { name: 'x', type, permissions, allowed_destinations: ['ok.example'] };
    const answer = await proxy.vault.request('POST', '/applications', { key: proxy.tenant.keys.management, body });
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['allowed_destinations']]);
  });

  it('is shown, replaced as a whole, and heard of at once', async () => {
    const { id, key } = await createApplication(proxy.vault, proxy.tenant, {
      permissions: ['token:use'],
      allowed_destinations: ['Other.Example'],
    });
    const path = `/applications/${id}`;
    const management = { key: proxy.tenant.keys.management };
    expect((await proxy.vault.request('GET', path, management)).body).toMatchObject({
      allowed_destinations: ['other.example'],
    });
    expect((await proxy.call({ key })).status).toBe(403);
    const body = { name: 'x', permissions: ['token:use'] };
    const updated = await proxy.vault.request('PUT', path, { ...management, body });
    expect(updated.body).not.toHaveProperty('allowed_destinations');
    await untilTrue(async () => (await proxy.call({ key })).status === 200, {
      waitingFor: 'the list to be gone',
    });
  });

  it('of its authorizer binds a session', async () => {
    const session = async (allowed: readonly string[]) => {
      const created = await proxy.vault.request('POST', '/sessions', { key: proxy.tenant.keys.public });
      const { session_key: key, nonce } = created.body as { session_key: string; nonce: string };
      const authorizer = await createApplication(proxy.vault, proxy.tenant, {
        permissions: ['token:use'],
        allowed_destinations: allowed,
      });
      const body = { nonce, permissions: ['token:use'] };
      await proxy.vault.request('POST', '/sessions/authorize', { key: authorizer.key, body });
      return key;
    };
    const id = await proxy.store('of a session');
    const call = { body: `"{{ ${id} }}"`, headers: json };
    expect((await proxy.call({ key: await session([destinationHost]), ...call })).status).toBe(200);
    expect(proxy.destination.last.body.toString()).toBe('"of a session"');
    expect((await proxy.call({ key: await session(['other.example']), ...call })).status).toBe(403);
  });

  it('can be required by the installation', async () => {
    const strict = await ProxyVault.start({ requiresDestinationList: true });
    expect((await strict.call()).status).toBe(403);
    const { key } = await createApplication(strict.vault, strict.tenant, {
      permissions: ['token:use'],
      allowed_destinations: [destinationHost],
    });
    expect((await strict.call({ key })).status).toBe(200);
    expect(strict.vault.logLines.join('\n')).toContain(
      '"setting":"STRONGROOM_PROXY_REQUIRE_ALLOWED_DESTINATIONS","value":"true"',
    );
    await strict.stop();
  });
});

describe('429', () => {
  it('for one call more than a tenant may have under way; another tenant is not concerned', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const other = await proxy.vault.makeTenant();
    const held: Promise<unknown>[] = [];
    for (let call = 0; call < 3; call += 1) {
      const before = proxy.destination.seen.length;
      meanwhile = () => promise;
      held.push(proxy.call());
      await untilTrue(() => proxy.destination.seen.length > before, { waitingFor: 'the call' });
    }
    const refused = await proxy.call();
    expect([refused.status, refused.headers.get('retry-after'), proxyErrorOf(refused)['type']]).toEqual([
      429,
      '1',
      '/docs/errors/too-many-calls',
    ]);
    expect((await proxy.call({ key: other.keys.private })).status).toBe(200);
    resolve();
    expect(await Promise.all(held)).toMatchObject([{ status: 200 }, { status: 200 }, { status: 200 }]);
    expect((await proxy.call()).status).toBe(200);
  });
});

describe('the audit log', () => {
  it('has the intent and each token before the destination hears of anything, and the outcome afterwards', async () => {
    const card = await proxy.store({ number: '4242424242424242' }, { type: 'card' });
    const token = await proxy.store('value');
    const traceId = trace();
    let early: Record<string, unknown>[] = [];
    meanwhile = async () => {
      early = await recordsOf(traceId, 1);
    };
    const body = `["{{ ${card} | json: '$.number' }}","{{ ${token} }}","{{ ${token} }}"]`;
    expect((await proxy.call({ body, headers: { ...json, 'bt-trace-id': traceId } })).status).toBe(200);
    const shared = { outcome: 'success', operation: 'read', destination: destinationHost, actor_type: 'application' };
    const call = { entity_type: 'proxy', operation: 'invoke', entity_id: expect.stringMatching(uuidV4) };
    const intent = expect.objectContaining({ ...call, outcome: 'intent', destination: destinationHost });
    const uses = [
      expect.objectContaining({ ...shared, entity_type: 'card', entity_id: card, containers: ['/pci/high/'] }),
      expect.objectContaining({ ...shared, entity_type: 'token', entity_id: token }),
    ];
    expect(early).toHaveLength(3);
    expect(early).toEqual(expect.arrayContaining([intent, ...uses]));
    const records = await recordsOf(traceId, 4);
    expect(records).toHaveLength(4);
    const calls = records.filter((record) => record['entity_type'] === 'proxy');
    expect(calls.map((record) => record['outcome'])).toEqual(['intent', 'success']);
    expect(new Set(calls.map((record) => record['entity_id'])).size).toBe(1);
    expect(JSON.stringify(records)).not.toMatch(/4242424242424242|"value"/);
    const { rows } = await proxy.vault.database.owner.query('select from proxy_calls');
    expect(rows).toEqual([]);
  });

  it('tells a call that failed after its intent from one that went well', async () => {
    const traceId = trace();
    const id = await proxy.store('a\r\nb');
    const answer = await proxy.call({ headers: { 'x-value': `{{ ${id} }}`, 'bt-trace-id': traceId } });
    expect(answer.status).toBe(400);
    const outcomes = (await recordsOf(traceId, 3)).map((record) => String(record['outcome']));
    expect(outcomes.toSorted()).toEqual(['failed', 'intent', 'success']);
  });

  it('stands before the plaintext: without it nothing is sent', async () => {
    const id = await proxy.store('value');
    const before = proxy.destination.seen.length;
    await proxy.vault.database.owner.query('alter table proxy_calls rename to proxy_calls_away');
    const answer = await proxy.call({ body: `"{{ ${id} }}"`, headers: json });
    await proxy.vault.database.owner.query('alter table proxy_calls_away rename to proxy_calls');
    expect(answer.status).toBe(500);
    expect(proxy.destination.seen).toHaveLength(before);
    await untilTrue(() => proxy.destination.sockets.size === 0, {
      waitingFor: 'a closed connection',
    });
  });
});

describe('408', () => {
  it('for a destination that does not answer in time', async () => {
    const slow = await ProxyVault.start({ limits: { callMs: 200 }, behaviour: () => undefined });
    const answer = await slow.call();
    expect([answer.status, proxyErrorOf(answer)['type']]).toEqual([408, '/docs/errors/destination-timeout']);
    await slow.stop();
  });
});

describe('413', () => {
  it('for a body of more than 4 MiB, as an error of the proxy', async () => {
    const answer = await proxy.call({
      body: 'x'.repeat(4 * 1024 * 1024 + 1),
      headers: { 'content-type': 'text/plain' },
    });
    expect([answer.status, proxyErrorOf(answer)['status']]).toEqual([413, 413]);
  });
});
