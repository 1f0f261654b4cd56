import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { destinationHost, proxyErrorOf, ProxyVault } from '../../../test/harness/proxy-vault.ts';
import { callStored, makeKeylessProxy, makeProxy, tokenizeNumber } from '../../../test/harness/stored-proxies.ts';
import { createApplication } from '../../../test/harness/test-application.ts';
import { answerOk, headersOf } from '../../../test/harness/tls-destination.ts';

const number = '4242424242424242';
const card = JSON.stringify({ order: 7, card: { number, name: 'Ada' } });

let proxy: ProxyVault;
let respond: (socket: TLSSocket) => void = answerOk;
beforeAll(async () => {
  proxy = await ProxyVault.start({ behaviour: (socket) => respond(socket) });
});
afterAll(() => proxy.stop());
beforeEach(() => {
  respond = answerOk;
});

const bodyOf = () => proxy.destination.last.body.toString('utf8');
const json =
  (text: string, type = 'application/json') =>
  (socket: TLSSocket) =>
    void socket.end(
      `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nETag: "x"\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    );
const recordsThrough = async (id: string) =>
  (await proxy.vault.auditRecords(proxy.tenant.id)).filter((record) => String(record['details']).includes(id));
const key = () => proxy.tenant.keys.private;

describe('a call through a stored proxy', () => {
  it('goes to its destination with path and query, and without the key', async () => {
    const made = await makeProxy(proxy);
    const answer = await callStored(proxy, made.key, { key: key(), path: '/orders?a=1&b=2', body: '{"a":1}' });
    expect(answer.status).toBe(200);
    const { head } = proxy.destination.last;
    expect(head).toMatch(/^POST \/base\/orders\?a=1&b=2 HTTP/);
    expect(head).not.toContain(made.key);
    expect(bodyOf()).toBe('{"a":1}');
  });

  it('takes the key from the query, and does not pass it on', async () => {
    const made = await makeProxy(proxy);
    const answer = await proxy.vault.request('GET', `/proxy/x?a=1&bt-proxy-key=${made.key}&b=2`, { key: key() });
    expect([answer.status, proxy.destination.last.head.split(' ')[1]]).toEqual([200, '/base/x?a=1&b=2']);
  });

  it('sends the values of tokens, unless it says otherwise', async () => {
    const id = await proxy.store('secret-value');
    const body = JSON.stringify({ value: `{{ ${id} }}` });
    await callStored(proxy, (await makeProxy(proxy)).key, { key: key(), body });
    expect(bodyOf()).toBe('{"value":"secret-value"}');
    await callStored(proxy, (await makeProxy(proxy, { disable_detokenization: true })).key, { key: key(), body });
    expect(bodyOf()).toBe(body);
  });

  it('is recorded with the id of the proxy, together with the tokens that it uses', async () => {
    const made = await makeProxy(proxy);
    const id = await proxy.store('secret-value');
    await callStored(proxy, made.key, { key: key(), body: `{"value":"{{ ${id} }}"}` });
    await untilTrue(async () => (await recordsThrough(made.id)).length >= 3, { waitingFor: 'three records' });
    const records = await recordsThrough(made.id);
    expect(records.map((record) => [record['entity_type'], record['operation'], record['outcome']])).toHaveLength(3);
    expect(records.map((record) => [record['entity_type'], record['operation'], record['outcome']])).toEqual(
      expect.arrayContaining([
        ['proxy', 'invoke', 'intent'],
        ['proxy', 'invoke', 'success'],
        ['token', 'read', 'success'],
      ]),
    );
    expect(JSON.stringify(records)).not.toContain('secret-value');
  });

  it('reaches a destination that the list of the application does not have, and no other one', async () => {
    const listed = await createApplication(proxy.vault, proxy.tenant, {
      permissions: ['token:use'],
      allowed_destinations: ['elsewhere.example'],
    });
    const made = await makeProxy(proxy);
    expect((await callStored(proxy, made.key, { key: listed.key })).status).toBe(200);
    expect((await proxy.call({ key: listed.key })).status).toBe(403);
    const both = await callStored(proxy, made.key, { key: listed.key, headers: { 'bt-proxy-url': proxy.url } });
    expect([both.status, proxyErrorOf(both)['detail']]).toEqual([
      400,
      'BT-PROXY-URL and BT-PROXY-KEY must not be sent together.',
    ]);
  });

  it('ends after the time of the proxy', async () => {
    respond = () => undefined;
    const made = await makeProxy(proxy, { timeout: 1 });
    expect((await callStored(proxy, made.key, { key: key() })).status).toBe(408);
  });

  it('is refused if the name of the destination leads elsewhere by now', async () => {
    const made = await makeProxy(proxy);
    proxy.resolver.set(destinationHost, ['169.254.169.254']);
    try {
      expect((await callStored(proxy, made.key, { key: key() })).status).toBe(403);
    } finally {
      proxy.resolver.set(destinationHost, ['127.0.0.1']);
    }
  });
});

describe('the key of a proxy', () => {
  it('is not enough without an API key, and an unknown one is treated the same', async () => {
    const made = await makeProxy(proxy);
    const known = await callStored(proxy, made.key);
    const unknown = await callStored(proxy, `proxy_${'1'.repeat(44)}`);
    expect([known.status, unknown.status]).toEqual([401, 401]);
    const { trace_id: _a, ...first } = proxyErrorOf(known);
    const { trace_id: _b, ...second } = proxyErrorOf(unknown);
    expect(first).toEqual(second);
  });

  it('of another tenant does not exist', async () => {
    const made = await makeProxy(proxy);
    const other = await proxy.vault.makeTenant();
    expect((await callStored(proxy, made.key, { key: other.keys.private })).status).toBe(404);
    // The server remembers the proxy once its own tenant has called it.
    expect((await callStored(proxy, made.key, { key: key() })).status).toBe(200);
    expect((await callStored(proxy, made.key, { key: other.keys.private })).status).toBe(404);
  });

  it('follows a change of its proxy at once', async () => {
    const id = await proxy.store('secret-value');
    const body = JSON.stringify({ value: `{{ ${id} }}` });
    const made = await makeProxy(proxy);
    await callStored(proxy, made.key, { key: key(), body });
    expect(bodyOf()).toBe('{"value":"secret-value"}');
    await proxy.vault.request('PATCH', `/proxies/${made.id}`, {
      key: proxy.tenant.keys.management,
      body: { disable_detokenization: true },
    });
    await callStored(proxy, made.key, { key: key(), body });
    expect(bodyOf()).toBe(body);
  });

  it('stops working with its proxy', async () => {
    const made = await makeKeylessProxy(proxy);
    expect((await callStored(proxy, made.key)).status).toBe(200);
    await proxy.vault.request('DELETE', `/proxies/${made.id}`, { key: proxy.tenant.keys.management });
    expect((await callStored(proxy, made.key)).status).toBe(401);
    expect((await callStored(proxy, made.key, { key: key() })).status).toBe(404);
  });
});

describe('a caller without an API key', () => {
  it('creates tokens with the rights of the application, and the destination sees no card', async () => {
    const made = await makeKeylessProxy(proxy, { request_transforms: [tokenizeNumber()] });
    const seen = proxy.destination.seen.length;
    expect((await callStored(proxy, made.key, { body: card })).status).toBe(200);
    const sent = JSON.parse(bodyOf()) as { order: number; card: { number: string; name: string } };
    expect(sent).toMatchObject({ order: 7, card: { name: 'Ada' } });
    expect(
      JSON.stringify(proxy.destination.seen.slice(seen).map(({ head, body }) => head + body.toString())),
    ).not.toContain(number);
    const token = await proxy.vault.request('GET', `/tokens/${sent.card.number}`, { key: proxy.tenant.keys.reveal });
    expect(token.body).toMatchObject({ data: number, type: 'card_number', created_by: made.applicationId });
    await untilTrue(async () => (await recordsThrough(made.id)).length >= 3, { waitingFor: 'three records' });
    expect((await recordsThrough(made.id)).map((record) => [record['operation'], record['key_id']])).toEqual(
      expect.arrayContaining([
        ['create', made.id],
        ['invoke', made.id],
      ]),
    );
  });

  it('refers to no tokens', async () => {
    const id = await proxy.store('secret-value');
    const made = await makeKeylessProxy(proxy, {}, ['token:use', 'token:read']);
    const body = `{"value":"{{ ${id} }}"}`;
    await callStored(proxy, made.key, {
      body,
      path: `/%7B%7B%20${id}%20%7D%7D`,
      headers: { 'x-value': `{{ ${id} }}` },
    });
    expect(bodyOf()).toBe(body);
    expect(proxy.destination.last.head).not.toContain('secret-value');
  });

  it('is refused once the application is deleted, has expired or has lost its rights', async () => {
    const gone = await makeKeylessProxy(proxy, { request_transforms: [tokenizeNumber()] });
    await proxy.vault.request('DELETE', `/applications/${gone.applicationId}`, { key: proxy.tenant.keys.management });
    expect((await callStored(proxy, gone.key, { body: card })).status).toBe(403);
    const expired = await makeKeylessProxy(proxy, { request_transforms: [tokenizeNumber()] });
    await proxy.vault.database.owner.query(`update applications set expires_at = now() where id = $1`, [
      expired.applicationId,
    ]);
    expect((await callStored(proxy, expired.key, { body: card })).status).toBe(403);
    const changed = await makeKeylessProxy(proxy, { request_transforms: [tokenizeNumber()] });
    await proxy.vault.request('PUT', `/applications/${changed.applicationId}`, {
      key: proxy.tenant.keys.management,
      body: { name: 'Reader', permissions: ['token:read'] },
    });
    const seen = proxy.destination.seen.length;
    expect((await callStored(proxy, changed.key, { body: card })).status).toBe(403);
    expect(proxy.destination.seen).toHaveLength(seen);
  });

  it('sends at most a mebibyte', async () => {
    const made = await makeKeylessProxy(proxy);
    const large = await callStored(proxy, made.key, { body: new Uint8Array(1024 * 1024 + 1) });
    expect(large.status).toBe(413);
  });
});

describe('the rights of an application', () => {
  it('apply in place of those of the caller', async () => {
    const id = await proxy.store('secret-value', { containers: ['/other/'] });
    const use = (container: string) => ({
      permissions: [],
      rules: [{ priority: 1, container, transform: 'reveal', permissions: ['token:use'] }],
    });
    const narrow = await createApplication(proxy.vault, proxy.tenant, use('/none/'));
    const wide = await createApplication(proxy.vault, proxy.tenant, use('/other/'));
    const body = `{"value":"{{ ${id} }}"}`;
    const own = await makeProxy(proxy);
    expect((await callStored(proxy, own.key, { key: narrow.key, body })).status).toBe(403);
    const lent = await makeProxy(proxy, { application: { id: wide.id } });
    expect((await callStored(proxy, lent.key, { key: narrow.key, body })).status).toBe(200);
    const less = await makeProxy(proxy, { application: { id: narrow.id } });
    expect((await callStored(proxy, less.key, { key: wide.key, body })).status).toBe(403);
  });
});

describe('transforms', () => {
  it('replace a card in a form and in a header', async () => {
    const made = await makeKeylessProxy(proxy, {
      request_transforms: [tokenizeNumber('form:number'), tokenizeNumber('header:X-Card')],
    });
    await callStored(proxy, made.key, {
      body: `order=7&number=${number}&note=a+b%26c`,
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-card': number },
    });
    const sent = new URLSearchParams(bodyOf());
    expect([sent.get('order'), sent.get('note')]).toEqual(['7', 'a b&c']);
    expect(sent.get('number')).toMatch(/^[0-9a-f-]{36}$/);
    expect(headersOf(proxy.destination.last)['x-card']?.[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(proxy.destination.last.head + bodyOf()).not.toContain(number);
  });

  it.each([
    ['text', { 'content-type': 'text/plain' }, card],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, `number=${number}`],
    ['compressed JSON', { 'content-encoding': 'gzip' }, card],
    ['a card twice', {}, `{"card":{"number":"${number}","number":"1"}}`],
    ['a number that is no card', {}, '{"card":{"number":"4242"}}'],
  ])('let nothing through that they cannot read: %s', async (_name, headers, body) => {
    const made = await makeKeylessProxy(proxy, { request_transforms: [tokenizeNumber()] });
    const seen = proxy.destination.seen.length;
    const answer = await callStored(proxy, made.key, { body, headers });
    expect([400, 415]).toContain(answer.status);
    expect(answer.text).not.toContain('4242');
    expect(proxy.destination.seen).toHaveLength(seen);
  });

  it('append secrets of the configuration, and replace what a caller sends in their place', async () => {
    const made = await makeProxy(proxy, {
      configuration: { KEY: 'provider-{{ key }}' },
      request_transforms: [
        { type: 'append_header', options: { location: 'Authorization', value: 'Bearer {{ configuration.KEY }}' } },
        { type: 'append_json', options: { location: '$.merchant', value: '{{ configuration.KEY | upcase }}' } },
        { type: 'remove', options: { location: '$.debug' } },
        { type: 'remove', options: { location: 'header:X-Debug' } },
      ],
    });
    await callStored(proxy, made.key, {
      key: key(),
      body: '{"amount":1.50,"merchant":"mine","debug":[1]}',
      headers: { authorization: 'Bearer other', 'x-debug': '1' },
    });
    expect(bodyOf()).toBe('{"amount":1.50,"merchant":"PROVIDER-{{ KEY }}"}');
    const headers = headersOf(proxy.destination.last);
    expect([headers['authorization'], headers['x-debug']]).toEqual([['Bearer provider-{{ key }}'], undefined]);
  });

  it('mask a response, in texts, numbers and lines', async () => {
    const mask = { type: 'mask', matcher: 'regex', expression: '(\\d{12})\\d{4}', replacement: '*' };
    const made = await makeProxy(proxy, { response_transforms: [mask] });
    respond = json(`{"a":"card ${number}","b":${number},"c":[1.0]}`);
    const answer = await callStored(proxy, made.key, { key: key() });
    expect(answer.text).toBe('{"a":"card ************4242","b":"************4242","c":[1.0]}');
    expect([answer.headers.get('etag'), answer.headers.get('content-length')]).toEqual([null, '62']);
    respond = json(`one ${number}\ntwo`, 'text/plain');
    expect((await callStored(proxy, made.key, { key: key() })).text).toBe('one ************4242\ntwo');
  });

  it('fail instead of passing on a response that cannot be masked', async () => {
    const mask = { type: 'mask', expression: '(\\d{12})\\d{4}' };
    const made = await makeProxy(proxy, { response_transforms: [mask] });
    for (const text of ['{"a":', `{"a":"${'x'.repeat(3_000)}${number}"}`]) {
      respond = json(text);
      const answer = await callStored(proxy, made.key, { key: key() });
      expect([answer.status, answer.text.includes(number)]).toEqual([502, false]);
    }
  });

  it('replace values of a response with tokens, and references with values', async () => {
    const made = await makeProxy(proxy, { response_transforms: [tokenizeNumber('$.cards[*]')] });
    respond = json(`{"cards":["${number}","5555555555554444"]}`);
    const { cards } = (await callStored(proxy, made.key, { key: key() })).body as { cards: string[] };
    expect(cards).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    const reader = await createApplication(proxy.vault, proxy.tenant, {
      permissions: ['token:use'],
      rules: [{ priority: 1, container: '/', transform: 'reveal', permissions: ['token:read'] }],
    });
    const detokenize = { type: 'detokenize', options: { location: '$.card' } };
    const back = await makeProxy(proxy, { response_transforms: [detokenize] });
    respond = json(`{"card":"${cards[0] ?? ''}","other":"{{ ${cards[1] ?? ''} }}"}`);
    const answer = await callStored(proxy, back.key, { key: reader.key });
    expect(answer.body).toEqual({ card: number, other: `{{ ${cards[1] ?? ''} }}` });
  });

  it('detokenize no more than the caller may read', async () => {
    const id = await proxy.store('secret-value');
    const made = await makeProxy(proxy, {
      response_transforms: [{ type: 'detokenize', options: { location: '$.card' } }],
    });
    const sender = await createApplication(proxy.vault, proxy.tenant, { permissions: ['token:use'] });
    respond = json(`{"card":"${id}"}`);
    const answer = await callStored(proxy, made.key, { key: sender.key });
    expect([answer.status, answer.text.includes('secret-value')]).toEqual([403, false]);
  });
});
