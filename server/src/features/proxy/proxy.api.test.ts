import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { destinationHost, ProxyVault } from '../../../test/harness/proxy-vault.ts';
import { requestHead, sendRaw } from '../../../test/harness/raw-http.ts';
import { headersOf, type SeenRequest, type TlsDestination } from '../../../test/harness/tls-destination.ts';

let proxy: ProxyVault;
let answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
beforeAll(async () => {
  proxy = await ProxyVault.start({ behaviour: (socket) => socket.end(answer, 'latin1') });
});
beforeEach(() => {
  answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
});
afterAll(() => proxy.stop());

const json = { 'content-type': 'application/json' };
const lineOf = ({ head }: SeenRequest) => head.split('\r\n')[0];
const seen = (): TlsDestination['last'] => proxy.destination.last;

describe('where a call goes', () => {
  it.each([
    ['', '', '/'],
    ['/', '', '/'],
    ['/api', '', '/api'],
    ['/api///', '', '/api'],
    ['/api', '/', '/api/'],
    ['/api', '/foo/bar?p=v', '/api/foo/bar?p=v'],
    ['/api/', '/foo/', '/api/foo/'],
    ['/api?a=1', '/foo?b=2', '/api/foo?a=1&b=2'],
    ['?a=1', '', '/?a=1'],
    ['/api', '/%41%2f%20?q=%26+1', '/api/%41%2f%20?q=%26+1'],
    ['', '//double//', '//double//'],
  ])('the URL %j and the path %j make %j', async (base, path, expected) => {
    expect((await proxy.call({ url: `${proxy.url}${base}`, path })).status).toBe(200);
    expect(lineOf(seen())).toBe(`GET ${expected} HTTP/1.1`);
    expect(headersOf(seen())['host']).toEqual([`${destinationHost}:${proxy.destination.port}`]);
  });

  it.each(['POST', 'GET', 'PUT', 'PATCH', 'DELETE'])('%s goes on as it is', async (method) => {
    expect((await proxy.call({ method, path: '/x' })).status).toBe(200);
    expect(lineOf(seen())).toBe(`${method} /x HTTP/1.1`);
  });

  it.each([
    ['HEAD', 405],
    ['OPTIONS', 204],
    ['TRACE', 405],
  ])('%s is not sent on: %i', async (method, status) => {
    const before = proxy.destination.seen.length;
    const head = requestHead(`${method} /proxy`, {
      'bt-api-key': proxy.tenant.keys.private,
      'bt-proxy-url': proxy.url,
    });
    expect((await sendRaw(proxy.vault.server.url, head)).status).toBe(status);
    expect(proxy.destination.seen).toHaveLength(before);
  });

  it('404 for an endpoint whose own name is encoded', async () => {
    expect((await proxy.vault.request('GET', '/%70roxy/x', { key: proxy.tenant.keys.private })).status).toBe(404);
  });

  it.each(['/../x', '/x/..', '/%2e%2e/x', '/.%2E', '/a/./b'])(
    '400 for a path that walks elsewhere: %s',
    async (path) => {
      const head = requestHead(`GET /proxy${path}`, {
        'bt-api-key': proxy.tenant.keys.private,
        'bt-proxy-url': `${proxy.url}/api`,
      });
      expect((await sendRaw(proxy.vault.server.url, head)).status).toBe(400);
    },
  );

  it('is a connection of its own each time', async () => {
    const before = proxy.destination.connectionCount;
    for (let call = 0; call < 3; call += 1) await proxy.call({ headers: { 'bt-proxy-connection': 'keep-alive' } });
    expect(proxy.destination.connectionCount).toBe(before + 3);
    await untilTrue(() => proxy.destination.sockets.size === 0, {
      waitingFor: 'closed connections',
    });
  });
});

describe('the headers of a call', () => {
  it('are those of the client, without what is between it and the vault', async () => {
    const sent = requestHead('POST /proxy', {
      'bt-api-key': proxy.tenant.keys.private,
      'bt-proxy-url': proxy.url,
      'bt-trace-id': 'trace',
      'bt-anything': 'x',
      connection: 'close, x-named',
      'x-named': 'dropped',
      authorization: 'Bearer for-the-destination',
      'accept-encoding': 'br',
      'X-Custom-Case': 'kept',
      forwarded: 'for=10.0.0.1',
      'x-forwarded-for': '10.0.0.1',
      'x-forwarded-host': 'vault',
      'x-real-ip': '10.0.0.1',
      via: '1.1 inside',
      'proxy-authorization': 'Basic x',
      te: 'trailers',
      cookie: 'theirs=1; strongroom_session=ours; __Host-strongroom=ours; more=2',
      'content-type': 'text/plain',
      'transfer-encoding': 'chunked',
    });
    const chunked = '3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n';
    expect((await sendRaw(proxy.vault.server.url, `${sent}${chunked}`)).status).toBe(200);
    expect(headersOf(seen())).toEqual({
      host: [`${destinationHost}:${proxy.destination.port}`],
      authorization: ['Bearer for-the-destination'],
      'accept-encoding': ['br'],
      'x-custom-case': ['kept'],
      cookie: ['theirs=1; more=2'],
      'content-type': ['text/plain'],
      'content-length': ['5'],
      connection: ['close'],
    });
    expect(seen().head).toContain('X-Custom-Case: kept');
    expect(seen().body.toString()).toBe('abcde');
  });

  it('keep several of one name', async () => {
    const head = requestHead('GET /proxy', { 'bt-api-key': proxy.tenant.keys.private, 'bt-proxy-url': proxy.url });
    const doubled = head.replace('\r\n\r\n', '\r\nx-many: 1\r\nx-many: 2\r\n\r\n');
    expect((await sendRaw(proxy.vault.server.url, doubled)).status).toBe(200);
    expect(headersOf(seen())['x-many']).toEqual(['1', '2']);
  });

  it('tell the destination about the connection what the client wants', async () => {
    const headers = { 'bt-proxy-connection': 'keep-alive', 'bt-proxy-keep-alive': 'timeout=5, max=100' };
    expect((await proxy.call({ headers })).status).toBe(200);
    expect(headersOf(seen())).toMatchObject({ connection: ['keep-alive'], 'keep-alive': ['timeout=5, max=100'] });
  });

  it('have no length without a body, and a length of nothing where the method has one', async () => {
    await proxy.call({ method: 'GET' });
    expect(headersOf(seen())).not.toHaveProperty('content-length');
    await proxy.call({ method: 'POST' });
    expect(headersOf(seen())['content-length']).toEqual(['0']);
  });
});

describe('the answer', () => {
  it('comes back with its status, headers and bytes', async () => {
    const body = '\x00\xff{{ not looked at }}';
    answer = `HTTP/1.1 402 Payment Required\r\nX-Theirs: 1\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Encoding: br\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const head = requestHead('GET /proxy', { 'bt-api-key': proxy.tenant.keys.private, 'bt-proxy-url': proxy.url });
    const got = await sendRaw(proxy.vault.server.url, head);
    expect(got.status).toBe(402);
    expect(got.headers).toMatchObject({
      'x-theirs': '1',
      'content-encoding': 'br',
      'content-length': String(body.length),
      'bt-proxy-destination-status': '402',
    });
    expect(got.text).toContain('a=1');
    expect(got.text).toContain('b=2');
    expect(got.body).toContain('{{ not looked at }}');
  });

  it('does not carry what is between the destination and the vault, or what would be said in our name', async () => {
    const headers = [
      'Connection: keep-alive, x-named',
      'Keep-Alive: timeout=9',
      'X-Named: 1',
      'Proxy-Authenticate: Basic',
      'Upgrade: h2c',
      'BT-PROXY-DESTINATION-STATUS: 999',
      'BT-Trace-Id: forged',
      'Cache-Control: public, max-age=1000',
      'Strict-Transport-Security: max-age=1',
      'Clear-Site-Data: "*"',
      'Alt-Svc: h3=":443"',
      'Access-Control-Allow-Origin: *',
      'Set-Cookie: __Host-strongroom=forged',
      'X-Kept: 1',
    ];
    answer = `HTTP/1.1 200 OK\r\n${headers.join('\r\n')}\r\nContent-Length: 0\r\n\r\n`;
    const got = await proxy.call({ headers: { 'bt-trace-id': 'own' } });
    const { date: _date, ...rest } = Object.fromEntries(got.headers);
    expect(rest).toEqual({
      'bt-trace-id': 'own',
      'bt-proxy-destination-status': '200',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-kept': '1',
      'content-length': '0',
      connection: 'keep-alive',
      'keep-alive': 'timeout=75',
    });
  });

  it('passes chunks on, and an end by closing', async () => {
    answer = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n';
    expect((await proxy.call()).text).toBe('abc');
    answer = 'HTTP/1.1 200 OK\r\n\r\nuntil the end';
    expect((await proxy.call()).text).toBe('until the end');
  });

  it('waits through interim answers', async () => {
    answer = `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${answer}`;
    const got = await proxy.call();
    expect([got.status, got.text, got.headers.get('link')]).toEqual([200, 'ok', null]);
  });

  it.each([204, 304])('%d has no body', async (status) => {
    answer = `HTTP/1.1 ${status} Nothing\r\n\r\n`;
    expect(await proxy.call()).toMatchObject({ status, text: '' });
  });
});

describe('a call', () => {
  it('is logged and counted like any other request, by its route and never by where it went', async () => {
    const traceId = crypto.randomUUID();
    await proxy.call({ path: '/somewhere', headers: { 'bt-trace-id': traceId } });
    const lines = () => proxy.vault.logLines.filter((line) => line.includes(traceId));
    await untilTrue(() => lines().length > 0, { waitingFor: 'the line' });
    expect(lines().map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { message: 'request', method: 'GET', route: '/proxy/*', status: 200 },
    ]);
    expect(lines().join('')).not.toMatch(/somewhere|provider/);
    const metrics = await (await fetch(`${proxy.vault.server.adminUrl}/metrics`)).text();
    expect(metrics).toMatch(/strongroom_proxy_calls_total\{stage="answered",reason="success"\} \d+/);
    expect(metrics).not.toMatch(/somewhere|provider\.example/);
  });
});

describe('references', () => {
  it('in JSON: one by itself becomes the value, one in a text becomes text', async () => {
    const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 };
    const id = await proxy.store(card, { type: 'card' });
    const body = `{"a":"{{ ${id} | json: '$.expiration_month' }}","b":"no. {{ ${id} | json: '$.number' }}!","c":["{{${id}}}"],"d":1.10,"e":"{{ token: ${id} | json: '$.type' }}"}`;
    expect((await proxy.call({ body, headers: json })).status).toBe(200);
    expect(seen().body.toString()).toBe(
      `{"a":12,"b":"no. 4242424242424242!","c":[${JSON.stringify(card)}],"d":1.10,"e":"card"}`,
    );
  });

  it('in JSON: numbers keep their spelling, those of the body and those of tokens', async () => {
    const stored = await proxy.vault.request('POST', '/tokens', {
      key: proxy.tenant.keys.private,
      rawBody: '{"type":"token","data":[12345678901234567890,1e400,-0,1.0]}',
    });
    const { id } = stored.body as { id: string };
    await proxy.call({ body: `{"v":"{{ ${id} }}","n":98765432109876543210.50}`, headers: json });
    expect(seen().body.toString()).toBe('{"v":[12345678901234567890,1e400,-0,1.0],"n":98765432109876543210.50}');
  });

  it('in a form: each field is decoded, evaluated and encoded again; others stay as they are', async () => {
    const id = await proxy.store('a&b=c +%{{ x }}');
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
    const written = [`{{+${id}+}}`, `%7B%7B%20${id}%20%7D%7D`, `x{{${id}}}y`];
    await proxy.call({ body: `k%20=%41&${written.map((text, index) => `v${index}=${text}`).join('&')}&end`, headers });
    const [first, ...rest] = seen().body.toString().split('&');
    expect(first).toBe('k%20=%41');
    const value = 'a&b=c +%{{ x }}';
    expect(Object.fromEntries(new URLSearchParams(rest.join('&')))).toEqual({
      v0: value,
      v1: value,
      v2: `x${value}y`,
      end: '',
    });
  });

  it.each(['text/plain', 'application/octet-stream', 'multipart/form-data; boundary=b', ''])(
    'in a body of type %j: as text, and braces of others stay',
    async (type) => {
      const id = await proxy.store('zwölf');
      const body = `handlebars {{#if a/b}} {{ ${id} }} \u{1f4b3}`;
      await proxy.call({ body, headers: { 'content-type': type } });
      expect(seen().body.toString()).toBe('handlebars {{#if a/b}} zwölf \u{1f4b3}');
    },
  );

  it('in bytes that are no UTF-8: every other byte stays', async () => {
    const id = await proxy.store('zwölf');
    const body = Buffer.concat([Buffer.of(0xff, 0x00, 0x80), Buffer.from(`{{ ${id} }}`), Buffer.of(0xfe)]);
    await proxy.call({ body, headers: { 'content-type': 'application/octet-stream' } });
    const expected = Buffer.concat([Buffer.of(0xff, 0x00, 0x80), Buffer.from('zwölf'), Buffer.of(0xfe)]);
    expect(seen().body).toEqual(expected);
  });

  it.each(['application/xml', 'text/xml', 'application/soap+xml; charset=utf-8'])(
    'in %s: a value cannot become an element',
    async (type) => {
      const id = await proxy.store('</a><b c="1">&\'');
      await proxy.call({ body: `<a>{{ ${id} }}</a>`, headers: { 'content-type': type } });
      expect(seen().body.toString()).toBe('<a>&lt;/a&gt;&lt;b c=&quot;1&quot;&gt;&amp;&apos;</a>');
    },
  );

  it('in header values, path and query, percent-encoded there', async () => {
    const id = await proxy.store('a/b?c&d#é 100%');
    const encoded = 'a%2Fb%3Fc%26d%23%C3%A9%20100%25';
    await proxy.call({
      url: `${proxy.url}/base/{{ ${id} }}?k={{${id}}}`,
      path: `/%7B%7B%20${id}%20%7D%7D/x?q=%7b%7b+${id}+%7d%7d&{{${id}}}=1`,
      headers: { 'x-value': `<{{ ${id} }}>` },
    });
    expect(lineOf(seen())).toBe(`GET /base/${encoded}/${encoded}/x?k=${encoded}&q=${encoded}&${encoded}=1 HTTP/1.1`);
    expect(Buffer.from(headersOf(seen())['x-value']?.[0] ?? '', 'latin1').toString()).toBe('<a/b?c&d#é 100%>');
  });

  it('are not looked for in what is compressed, and a body without one goes on byte for byte', async () => {
    const id = await proxy.store('value');
    const odd = '{ "a" : 1.0e0 , "a":2 }';
    await proxy.call({ body: odd, headers: json });
    expect(seen().body.toString()).toBe(odd);
    await proxy.call({ body: `{{ ${id} }}`, headers: { ...json, 'content-encoding': 'gzip' } });
    expect(seen().body.toString()).toBe(`{{ ${id} }}`);
  });

  it('a hundred of them in a megabyte', async () => {
    const ids = await Promise.all(Array.from({ length: 100 }, (_, index) => proxy.store(`value of ${index}`)));
    const filler = 'x'.repeat(10_500);
    const body = JSON.stringify(ids.map((id) => ({ id: `{{ ${id} }}`, filler })));
    expect(body.length).toBeGreaterThan(1024 * 1024);
    expect((await proxy.call({ body, headers: json })).status).toBe(200);
    expect(JSON.parse(seen().body.toString())).toEqual(ids.map((_, index) => ({ id: `value of ${index}`, filler })));
  });
});
