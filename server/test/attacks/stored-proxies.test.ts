import type { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { untilTrue } from '../harness/deadline.ts';
import { ProxyVault } from '../harness/proxy-vault.ts';
import { callStored, makeKeylessProxy, makeProxy, tokenizeNumber } from '../harness/stored-proxies.ts';
import { answerOk } from '../harness/tls-destination.ts';

/* Attacks through stored proxies: by a partner that has only a proxy's key, by a destination, and by a page. */
const number = '4242424242424242';
let proxy: ProxyVault;
let respond: (socket: TLSSocket) => void = answerOk;
beforeAll(async () => {
  proxy = await ProxyVault.start({ callsPerTenantMax: 4, behaviour: (socket) => respond(socket) });
});
afterAll(() => proxy.stop());
beforeEach(() => {
  respond = answerOk;
});

const key = () => proxy.tenant.keys.private;
const answer =
  (body: string | Buffer, headers = 'Content-Type: application/json') =>
  (socket: TLSSocket) => {
    const bytes = Buffer.from(body);
    socket.write(`HTTP/1.1 200 OK\r\n${headers}\r\nContent-Length: ${bytes.length}\r\nConnection: close\r\n\r\n`);
    socket.end(bytes);
  };
const patch = (id: string, body: object) =>
  proxy.vault.request('PATCH', `/proxies/${id}`, {
    key: proxy.tenant.keys.management,
    headers: { 'content-type': 'application/merge-patch+json' },
    rawBody: JSON.stringify(body),
  });

describe('a partner with the key of a proxy', () => {
  it('cannot take up all calls of the tenant', async () => {
    const made = await makeKeylessProxy(proxy);
    const waiting: TLSSocket[] = [];
    respond = (socket) => void waiting.push(socket);
    const held = [1, 2].map(() => callStored(proxy, made.key));
    await untilTrue(() => waiting.length === 2, { waitingFor: 'two calls at the destination' });
    respond = answerOk;
    expect((await callStored(proxy, made.key)).status).toBe(429);
    const keyed = await Promise.all([1, 2].map(() => callStored(proxy, made.key, { key: key() })));
    expect(keyed.map(({ status }) => status)).toEqual([200, 200]);
    for (const socket of waiting) answerOk(socket);
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await callStored(proxy, made.key)).status).toBe(200);
  });

  it('obtains no plaintext while the proxy is being changed', async () => {
    const id = await proxy.store('secret-value');
    const made = await makeKeylessProxy(proxy, {}, ['token:use', 'token:read']);
    const before = proxy.destination.seen.length;
    const changes = (async () => {
      for (let count = 0; count < 20; count += 1)
        expect((await patch(made.id, { require_auth: count % 2 === 0 })).status).toBe(204);
      return 'done';
    })();
    const statuses = new Set<number>();
    const isUnderWay = async () => (await Promise.race([changes, Promise.resolve('under way')])) !== 'done';
    while (await isUnderWay())
      statuses.add((await callStored(proxy, made.key, { body: `{"a":"{{ ${id} }}"}` })).status);
    expect([...statuses].filter((status) => ![200, 401, 409].includes(status))).toEqual([]);
    const seen = proxy.destination.seen.slice(before).map(({ head, body }) => head + body.toString('utf8'));
    expect(seen.join()).not.toContain('secret-value');
  });

  it('cannot hide a card from it with another character set or a second header', async () => {
    const made = await makeKeylessProxy(proxy, { request_transforms: [tokenizeNumber()] });
    const before = proxy.destination.seen.length;
    for (const type of [
      'application/json; charset=utf-16',
      'application/json;charset="utf-7"',
      'text/plain, application/json',
      'application/jsonx',
    ]) {
      const body = `{"card":{"number":"${number}"}}`;
      const refused = await callStored(proxy, made.key, { body, headers: { 'content-type': type } });
      expect([type, refused.status]).toEqual([type, 415]);
    }
    expect(proxy.destination.seen).toHaveLength(before);
  });
});

describe('a destination', () => {
  const mask = { type: 'mask', expression: String.raw`(\d{12})\d{4}` };

  it.each([
    ['in the name of a member', `{"${number}":{"x ${number}":1}}`],
    ['as a number', `{"a":[${number},-${number}.0]}`],
    ['with escapes', `{"a":"\\u0034${number.slice(1)}"}`],
    ['deep inside', `${'{"a":['.repeat(10)}"${number}"${']}'.repeat(10)}`],
  ])('cannot return a card that a mask does not see: %s', async (_name, body) => {
    const made = await makeProxy(proxy, { response_transforms: [mask] });
    respond = answer(body);
    const given = await callStored(proxy, made.key, { key: key() });
    expect(given.status).toBe(200);
    expect(given.text).toContain('************4242');
    expect(given.text).not.toContain(number.slice(0, 12));
  });

  it.each([
    ['names that become the same', `{"${number}":1,"5555555555554242":2}`, 'Content-Type: application/json'],
    ['a compressed body', gzipSync(`{"a":"${number}"}`), 'Content-Type: application/json\r\nContent-Encoding: gzip'],
    ['another character set', Buffer.from(number, 'utf16le'), 'Content-Type: text/plain; charset=utf-16'],
    ['a form', `a=${number}`, 'Content-Type: application/x-www-form-urlencoded'],
  ])('502 cannot return %s past a mask', async (_name, body, headers) => {
    const made = await makeProxy(proxy, { response_transforms: [mask] });
    respond = answer(body, headers);
    expect((await callStored(proxy, made.key, { key: key() })).status).toBe(502);
  });

  it('cannot have its response evaluated, or read secrets with it', async () => {
    const id = await proxy.store('secret-value');
    const made = await makeProxy(proxy, {
      configuration: { KEY: 'provider-secret' },
      request_transforms: [{ type: 'append_header', options: { location: 'X-A', value: 'a' } }],
      response_transforms: [
        { type: 'append_header', options: { location: 'X-B', value: '{{ request.path }}' } },
        { type: 'append_json', options: { location: '$.b', value: '{{ request.method }}' } },
      ],
    });
    const text = `{"a":"{{ ${id} }}{{ configuration.KEY }}{{ request.method }}"}`;
    respond = answer(text, `Content-Type: application/json\r\nX-B: {{ ${id} }}`);
    const path = `/%7B%7B%20configuration.KEY%20%7D%7D`;
    const given = await callStored(proxy, made.key, { key: key(), path });
    expect(given.text).not.toMatch(/secret-value|provider-secret/);
    expect(String(given.headers.get('x-b'))).not.toMatch(/secret-value|provider-secret/);
  });
});

describe('a page with a public key', () => {
  it('neither sees proxies nor calls them', async () => {
    const made = await makeProxy(proxy);
    const { public: pageKey } = proxy.tenant.keys;
    for (const path of ['/proxies', `/proxies/${made.id}`])
      expect((await proxy.vault.request('GET', path, { key: pageKey })).status).toBe(403);
    const before = proxy.destination.seen.length;
    expect((await callStored(proxy, made.key, { key: pageKey })).status).toBe(403);
    expect(proxy.destination.seen).toHaveLength(before);
  });
});
