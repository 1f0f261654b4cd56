import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProxyVault } from '../../../test/harness/proxy-vault.ts';
import { headersOf } from '../../../test/harness/tls-destination.ts';

let proxy: ProxyVault;
let innocent: string;
beforeAll(async () => {
  proxy = await ProxyVault.start();
  innocent = await proxy.store('the value of another token');
});
afterAll(() => proxy.stop());

const values = () => [
  'a\r\nX-Injected: 1',
  'a\r\n\r\nGET /second HTTP/1.1\r\nHost: evil\r\n\r\n',
  'a\nb',
  'a\rb',
  'a\0b',
  '\r\n0\r\n\r\n',
  'a\u2028b\u0085c',
  '\u010a\u010d',
  `{{ ${innocent} }}`,
  `{{${innocent}}}`,
  `%7B%7B${innocent}%7D%7D`,
  '../../admin',
  'a/../b?x=1#y&z=2',
  'HTTP/1.1 200 OK',
];

/** Expects a well-formed request at the destination, regardless of the inserted values. */
function expectOneWholeRequest(before: number): void {
  const { destination } = proxy;
  expect(destination.seen.length).toBe(before + 1);
  expect(headersOf(destination.last)).not.toHaveProperty('x-injected');
  expect(destination.last.head.split('\r\n')[0]).toMatch(/^(GET|POST) \/[\x21-\x7e]* HTTP\/1\.1$/);
  expect(destination.last.head).not.toContain('the value of another token');
  expect(destination.last.body.toString()).not.toContain('the value of another token');
}

describe('what a token holds', () => {
  it('does not change the framing from within a body, and is not expanded again', async () => {
    for (const value of values()) {
      const id = await proxy.store(value);
      for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
        const before = proxy.destination.seen.length;
        const text = { 'application/json': `["{{ ${id} }}"]`, 'text/plain': `{{ ${id} }}` }[type] ?? `v={{${id}}}`;
        const answer = await proxy.call({ body: text, headers: { 'content-type': type } });
        expect(answer.status).toBe(200);
        expectOneWholeRequest(before);
        const { body } = proxy.destination.last;
        const got = {
          'application/json': () => (JSON.parse(body.toString()) as string[])[0],
          'text/plain': () => body.toString(),
        }[type];
        expect((got ?? (() => new URLSearchParams(body.toString()).get('v')))()).toBe(value);
      }
    }
  });

  it('does not change the request line from within path and query', async () => {
    for (const value of values()) {
      const id = await proxy.store(value);
      const before = proxy.destination.seen.length;
      expect((await proxy.call({ path: `/a/{{${id}}}/b?q={{${id}}}` })).status).toBe(200);
      expectOneWholeRequest(before);
      const target = new URL(proxy.destination.last.head.split(' ')[1] ?? '', 'https://x');
      const [, a, middle = '', b] = target.pathname.split('/');
      expect([a, decodeURIComponent(middle), b, target.searchParams.get('q')]).toEqual(['a', value, 'b', value]);
    }
  });

  it('is refused in a header that cannot carry it, and stays one value where it can', async () => {
    for (const value of values()) {
      const id = await proxy.store(value);
      const before = proxy.destination.seen.length;
      const answer = await proxy.call({ headers: { 'x-value': `a {{ ${id} }} b` } });
      // oxlint-disable-next-line no-control-regex -- The pattern looks for exactly these characters.
      if (/[\x00-\x08\x0a-\x1f\x7f]/.test(value)) {
        expect(answer.status).toBe(400);
        expect(proxy.destination.seen.length).toBe(before);
      } else {
        expectOneWholeRequest(before);
        const sent = headersOf(proxy.destination.last)['x-value']?.[0] ?? '';
        expect(Buffer.from(sent, 'latin1').toString()).toBe(`a ${value} b`);
      }
    }
  });

  it.each(['.', '..'])('%j is refused as a segment of a path', async (value) => {
    const id = await proxy.store(value);
    const before = proxy.destination.seen.length;
    expect((await proxy.call({ path: `/a/{{${id}}}/b` })).status).toBe(400);
    expect(proxy.destination.seen.length).toBe(before);
  });

  it('that has no encoding is refused in a path', async () => {
    const rawBody = '{"type":"token","data":"\\ud800"}';
    const stored = await proxy.vault.request('POST', '/tokens', { key: proxy.tenant.keys.private, rawBody });
    const { id } = stored.body as { id: string };
    expect((await proxy.call({ path: `/{{${id}}}` })).status).toBe(400);
  });

  it('that is too long for a path or the headers is refused', async () => {
    const id = await proxy.store('x'.repeat(70_000));
    expect((await proxy.call({ path: `/{{${id}}}` })).status).toBe(400);
    expect((await proxy.call({ headers: { 'x-value': `{{ ${id} }}` } })).status).toBe(400);
  });

  it.each(['multipart/form-data; boundary=abc', 'multipart/mixed; x=y; boundary="abc"'])(
    'does not end a part of %s',
    async (type) => {
      const bad = await proxy.store('x\r\n--abc\r\nContent-Disposition: form-data; name="amount"\r\n\r\n1');
      const fine = await proxy.store('x\r\n--ab');
      const before = proxy.destination.seen.length;
      const call = (id: string) =>
        proxy.call({ body: `--abc\r\n\r\n{{ ${id} }}\r\n--abc--`, headers: { 'content-type': type } });
      expect((await call(bad)).status).toBe(400);
      expect(proxy.destination.seen.length).toBe(before);
      expect((await call(fine)).status).toBe(200);
    },
  );

  it('is not looked at in the answer', async () => {
    const echo = await ProxyVault.start({
      behaviour: (socket, { body }) =>
        socket.end(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`), body])),
    });
    const id = await echo.store(`{{ ${innocent} }}`);
    const answer = await echo.call({ body: `{{ ${id} }}`, headers: { 'content-type': 'text/plain' } });
    expect(answer.text).toBe(`{{ ${innocent} }}`);
    await echo.stop();
  });
});

describe('the key of the caller', () => {
  it('never leaves, however it is spelled', async () => {
    const { private: key } = proxy.tenant.keys;
    for (const name of ['BT-API-KEY', 'bt-api-key', 'Bt-Api-Key']) {
      await proxy.vault.request('POST', '/proxy/x?y=1', {
        headers: { [name]: key, 'bt-proxy-url': proxy.url, 'content-type': 'text/plain' },
        rawBody: 'body',
      });
      expect(proxy.destination.last.head).toContain('POST /x?y=1');
      const { head, body } = proxy.destination.last;
      expect(`${head}${body.toString()}`).not.toContain(key);
    }
  });
});
