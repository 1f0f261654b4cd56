import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProxyVault } from '../../../test/harness/proxy-vault.ts';
import { askForProxy, callStored, makeProxy, tokenizeNumber } from '../../../test/harness/stored-proxies.ts';
import { createApplication, fieldsOf, recordsOf, uuidV4 } from '../../../test/harness/test-application.ts';
import { headersOf } from '../../../test/harness/tls-destination.ts';

let proxy: ProxyVault;
beforeAll(async () => {
  proxy = await ProxyVault.start();
});
afterAll(() => proxy.stop());

const manage = (method: string, path: string, body?: unknown, key = proxy.tenant.keys.management) =>
  proxy.vault.request(method, path, { key, ...(body === undefined ? {} : { body }) });
const patch = (id: string, body: object) =>
  proxy.vault.request('PATCH', `/proxies/${id}`, {
    key: proxy.tenant.keys.management,
    headers: { 'content-type': 'application/merge-patch+json' },
    rawBody: JSON.stringify(body),
  });
const useKey = { type: 'append_header', options: { location: 'X-Key', value: '{{ configuration.KEY }}' } };

describe('stored proxies', () => {
  it('are created, listed, read, replaced, changed and deleted, and each step is recorded', async () => {
    const created = await askForProxy(proxy, { request_transform: tokenizeNumber() });
    expect([created.status, created.body]).toMatchObject([
      201,
      { id: expect.stringMatching(uuidV4), key: expect.stringMatching(/^proxy_/), require_auth: true },
    ]);
    const { id, key } = created.body as { id: string; key: string };
    expect((created.body as { request_transforms: unknown }).request_transforms).toEqual([tokenizeNumber()]);
    expect((await manage('GET', `/proxies?id=${id}`)).body).toMatchObject({ data: [{ id, key }] });
    const replaced = await manage('PUT', `/proxies/${id}`, { name: 'Other', destination_url: proxy.url });
    expect(replaced.body).toMatchObject({ id, key, name: 'Other', request_transforms: [] });
    expect((await patch(id, { name: 'Third', timeout: 5 })).status).toBe(204);
    expect((await manage('GET', `/proxies/${id}`)).body).toMatchObject({ name: 'Third', timeout: 5 });
    expect((await manage('DELETE', `/proxies/${id}`)).status).toBe(204);
    expect((await manage('GET', `/proxies/${id}`)).status).toBe(404);
    const records = await recordsOf(proxy.vault, proxy.tenant, id);
    expect(records.map((record) => `${String(record['operation'])} ${String(record['outcome'])}`)).toEqual([
      'create success',
      'update success',
      'update success',
      'read success',
      'delete success',
      'read missed',
    ]);
  });

  it('keep their secrets encrypted, and never return them', async () => {
    const secret = 'a-secret-of-the-provider';
    const made = await askForProxy(proxy, { configuration: { KEY: secret }, request_transforms: [useKey] });
    const { id, key } = made.body as { id: string; key: string };
    expect(made.body).toMatchObject({ configuration_names: ['KEY'] });
    const shown = [made, await manage('GET', `/proxies/${id}`), await manage('GET', '/proxies')];
    expect(shown.some(({ text }) => text.includes(secret))).toBe(false);
    const { rows } = await proxy.vault.database.owner.query('select stored_proxies::text as row from stored_proxies');
    const stored = JSON.stringify(rows);
    expect([
      stored.includes(Buffer.from(secret).toString('hex')),
      stored.includes(secret),
      stored.includes(key),
    ]).toEqual([false, false, false]);
    expect(JSON.stringify(await proxy.vault.auditRecords(proxy.tenant.id))).not.toContain(secret);
  });

  it('do not send their secrets to another host', async () => {
    const { id, key } = await makeProxy(proxy, {
      configuration: { KEY: 'first', B: 'x' },
      request_transforms: [useKey],
    });
    const elsewhere = { destination_url: `https://elsewhere.example:${proxy.destination.port}/` };
    for (const answer of [
      await patch(id, elsewhere),
      await manage('PUT', `/proxies/${id}`, { name: 'Partner', ...elsewhere, request_transforms: [useKey] }),
    ])
      expect([answer.status, fieldsOf(answer)]).toEqual([400, ['configuration']]);
    expect((await patch(id, { destination_url: `${proxy.url}/other`, configuration: { B: null } })).status).toBe(204);
    await callStored(proxy, key, { key: proxy.tenant.keys.private });
    expect(headersOf(proxy.destination.last)['x-key']).toEqual(['first']);
    expect((await patch(id, { ...elsewhere, configuration: { KEY: 'second' } })).status).toBe(204);
    expect((await manage('GET', `/proxies/${id}`)).body).toMatchObject({ configuration_names: ['KEY'] });
  });
});

describe('400', () => {
  const option = (type: string, options: object) => ({ request_transforms: [{ type, options }] });
  it.each<[string, object, string]>([
    ['code', { request_transforms: [{ type: 'code', code: 'x' }] }, 'request_transforms.0.type'],
    ['code in the singular form', { request_transform: { type: 'code' } }, 'request_transforms.0.type'],
    ['a mask of a request', { request_transforms: [{ type: 'mask', expression: '(a)' }] }, 'request_transforms.0.type'],
    ['detokenization of a request', option('detokenize', { location: '$.a' }), 'request_transforms.0.type'],
    [
      'a path of XML with an attribute',
      option('remove', { location: 'xml:/order/@card' }),
      'request_transforms.0.options.location',
    ],
    [
      'a view that shows what others send',
      option('tokenize', { location: '$.a', token: { type: 'card_number', mask: '{{ data }}' } }),
      'request_transforms.0.options.token.mask',
    ],
    ['a network that is none', { allowed_sources: ['203.0.113.1/24'] }, 'allowed_sources.0'],
    [
      'a check without its secret',
      { caller_check: { type: 'secret', header: 'X-Key', secret: 'NONE' } },
      'caller_check.secret',
    ],
    [
      'a check with a short secret',
      { caller_check: { type: 'secret', header: 'X-Key', secret: 'A' }, configuration: { A: 'fifteen letters' } },
      'caller_check.secret',
    ],
    [
      'a check in a header of the vault',
      { caller_check: { type: 'secret', header: 'BT-API-KEY', secret: 'A' } },
      'caller_check.header',
    ],
    ['a descendant', option('remove', { location: '$..a' }), 'request_transforms.0.options.location'],
    ['no token', option('tokenize', { location: '$.a' }), 'request_transforms.0.options.token'],
    [
      'text around the value',
      option('tokenize', { location: '$.a', token: { type: 'token', data: 'a {{ value }}' } }),
      'request_transforms.0.options.token.data',
    ],
    [
      'a framing header',
      option('append_header', { location: 'Content-Length', value: '1' }),
      'request_transforms.0.options.location',
    ],
    [
      'a header with a line end',
      option('append_header', { location: 'X-A\r\nB', value: '1' }),
      'request_transforms.0.options.location',
    ],
    [
      'another root',
      option('append_header', { location: 'X-A', value: '{{ tenant.id }}' }),
      'request_transforms.0.options.value',
    ],
    [
      'a secret in a response',
      { response_transforms: [{ type: 'append_text', options: { value: '{{ configuration.KEY }}' } }] },
      'response_transforms.0.options.value',
    ],
    [
      'a back reference',
      { response_transforms: [{ type: 'mask', expression: String.raw`(a)\1` }] },
      'response_transforms.0.expression',
    ],
    [
      'a mask without a group',
      { response_transforms: [{ type: 'mask', expression: 'a' }] },
      'response_transforms.0.expression',
    ],
    [
      'two characters',
      { response_transforms: [{ type: 'mask', expression: '(a)', replacement: '**' }] },
      'response_transforms.0.replacement',
    ],
    ['no application without keys', { require_auth: false }, 'application'],
    ['an application that does not exist', { application: { id: crypto.randomUUID() } }, 'application'],
    ['an address', { destination_url: 'https://127.0.0.1/' }, 'destination_url'],
    ['http', { destination_url: 'http://api.provider.example/' }, 'destination_url'],
    ['a user in the URL', { destination_url: 'https://a:b@api.provider.example/' }, 'destination_url'],
    ['a reactor', { request_reactor_id: crypto.randomUUID() }, 'request_reactor_id'],
  ])('for %s', async (_name, settings, field) => {
    const answer = await askForProxy(proxy, settings as Readonly<Record<string, unknown>>);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]]);
  });

  it('for a destination that leads to an internal address', async () => {
    proxy.resolver.set('metadata.example', ['169.254.169.254']);
    const answer = await askForProxy(proxy, { destination_url: 'https://metadata.example/' });
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['destination_url']]);
  });

  it('for responses that anybody could have detokenized', async () => {
    const { id } = await createApplication(proxy.vault, proxy.tenant);
    const answer = await askForProxy(proxy, {
      require_auth: false,
      application: { id },
      response_transforms: [{ type: 'detokenize', options: { location: '$.a' } }],
    });
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['require_auth']]);
  });
});

describe('an application with a grant limit', () => {
  const limited = (permissions: readonly string[]) =>
    createApplication(proxy.vault, proxy.tenant, {
      type: 'management',
      permissions: ['proxy:create', 'proxy:read', 'proxy:update', 'proxy:delete'],
      grant_limit: { permissions, containers: ['/orders/'], transform: 'mask' },
    });
  const lend = (container: string) =>
    createApplication(proxy.vault, proxy.tenant, {
      permissions: [],
      rules: [{ priority: 1, container, transform: 'mask', permissions: ['token:create'] }],
    });

  it('lends only rights that it could grant', async () => {
    const { key } = await limited(['token:create']);
    const [within, beyond] = [await lend('/orders/'), await lend('/other/')];
    const statuses = [
      await askForProxy(proxy, { application: { id: within.id } }, key),
      await askForProxy(proxy, { application: { id: beyond.id } }, key),
      await askForProxy(proxy, {}, key),
    ].map(({ status }) => status);
    expect(statuses).toEqual([201, 403, 403]);
  });

  it('neither sees the keys of other proxies, nor changes or deletes them', async () => {
    const { key } = await limited(['token:create']);
    const beyond = await lend('/other/');
    for (const made of [await makeProxy(proxy), await makeProxy(proxy, { application: { id: beyond.id } })]) {
      const path = `/proxies/${made.id}`;
      expect((await manage('GET', path, undefined, key)).text).not.toContain(made.key);
      const body = { name: 'Mine', destination_url: 'https://elsewhere.example/' };
      expect((await manage('PUT', path, body, key)).status).toBe(403);
      expect((await manage('DELETE', path, undefined, key)).status).toBe(403);
    }
  });

  it('cannot create an application with proxy:create and no limit', async () => {
    const { key } = await createApplication(proxy.vault, proxy.tenant, {
      type: 'management',
      permissions: ['application:create'],
      grant_limit: { permissions: ['proxy:create'], containers: ['/orders/'], transform: 'mask' },
    });
    const wide = { permissions: ['token:use'], containers: ['/'], transform: 'reveal' };
    const body = { name: 'Wide', type: 'management', permissions: ['proxy:create'], grant_limit: wide };
    expect((await manage('POST', '/applications', body, key)).status).toBe(403);
  });
});

it('nothing but the name changes while the tenant demands approvals', async () => {
  const made = await makeProxy(proxy);
  const settings = { name: 'Renamed', destination_url: `${proxy.url}/base` };
  await proxy.vault.database.owner.query(
    `update tenants set settings = '{"approve_plaintext": "true"}' where id = $1`,
    [proxy.tenant.id],
  );
  try {
    expect((await askForProxy(proxy)).status).toBe(403);
    expect((await manage('PUT', `/proxies/${made.id}`, settings)).status).toBe(200);
    expect((await patch(made.id, { destination_url: 'https://elsewhere.example/' })).status).toBe(403);
    for (const change of [{ timeout: 9 }, { configuration: { KEY: 'other' } }, { allowed_sources: ['192.0.2.1'] }])
      expect((await patch(made.id, { require_auth: true, ...change })).status).toBe(403);
    expect((await manage('DELETE', `/proxies/${made.id}`)).status).toBe(204);
  } finally {
    await proxy.vault.database.owner.query(`update tenants set settings = '{}' where id = $1`, [proxy.tenant.id]);
  }
});
