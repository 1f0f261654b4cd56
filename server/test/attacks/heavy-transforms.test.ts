import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MeasuredVault } from '../harness/measured-vault.ts';
import { loopback, ProxyVault } from '../harness/proxy-vault.ts';
import { askForProxy, makeProxy } from '../harness/stored-proxies.ts';
import { createApplication, fieldsOf } from '../harness/test-application.ts';
import { answerOk } from '../harness/tls-destination.ts';

/*
 * Attacks by whoever makes stored proxies. Each transform looked at every value of a body without a pause, which stopped
 * all tenants for a second. A proxy of four megabytes was read by every call, and a hundred of them by one list. An
 * application that may only list proxies saw their keys, and with a key, the rights of the proxy.
 */
let proxy: ProxyVault;
let measured: MeasuredVault;
let respond: (socket: TLSSocket) => void = answerOk;
beforeAll(async () => {
  proxy = await ProxyVault.start({ behaviour: (socket) => respond(socket) });
  const { authority, destination, resolver } = proxy;
  measured = await MeasuredVault.start(proxy.vault, proxy.tenant.keys.private, {
    authorities: authority.certificate,
    privateRanges: [loopback],
    ports: [destination.port],
    resolvers: [resolver.address],
  });
});
afterAll(async () => {
  await measured.stop();
  await proxy.stop();
});

const everything = { location: '$.*.none' };
const longList = `[${Array.from({ length: 99_000 }, () => 1).join(',')}]`;
const longObject = JSON.stringify(Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`k${index}`, 1])));
const answer = (body: string) => (socket: TLSSocket) => {
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close`;
  socket.end(`${head}\r\n\r\n${body}`);
};

/** A hostile proxy, and the body that it is called with or that its destination returns. */
interface Attack {
  readonly side: 'request' | 'response';
  readonly transforms: readonly object[];
  readonly content: string;
  readonly type?: string;
}
const twenty = (transform: object) => Array.from({ length: 20 }, () => transform);
const tokenize = { type: 'tokenize', options: { ...everything, token: { type: 'token', data: '{{ value }}' } } };
const attacks: readonly (readonly [string, Attack])[] = [
  ['remove', { side: 'request', transforms: twenty({ type: 'remove', options: everything }), content: longList }],
  ['tokenize', { side: 'request', transforms: twenty(tokenize), content: longList }],
  [
    'detokenize',
    { side: 'response', transforms: twenty({ type: 'detokenize', options: everything }), content: longList },
  ],
  ['mask names', { side: 'response', transforms: [{ type: 'mask', expression: '(k)' }], content: longObject }],
  [
    'a form of spaces',
    {
      side: 'request',
      transforms: [{ type: 'remove', options: { location: 'form:b' } }],
      content: `a=${'+'.repeat(1_000_000)}`,
      type: 'application/x-www-form-urlencoded',
    },
  ],
];

describe('transforms of a hostile proxy', () => {
  it.each(attacks)('do not stop other requests: %s', async (_name, { side, transforms, content, type }) => {
    const { key: proxyKey } = await makeProxy(proxy, { [`${side}_transforms`]: transforms });
    respond = side === 'response' ? answer(content) : answerOk;
    const called = await measured.measureShort({
      method: 'POST',
      path: '/proxy',
      key: proxy.tenant.keys.private,
      headers: { 'bt-proxy-key': proxyKey, 'content-type': type ?? 'application/json' },
      body: side === 'request' ? content : '{}',
    });
    expect([called.status, called.status === 200 ? '' : called.text]).toEqual([200, '']);
    expect(called.longestMs).toBeLessThan(measured.turnMaxMs);
  });

  it('are not large', async () => {
    const token = { type: 'token', data: { value: '{{ value }}', ballast: 'x'.repeat(100_000) } };
    const transform = { type: 'tokenize', options: { location: '$.a', token } };
    for (const side of ['request', 'response']) {
      const refused = await askForProxy(proxy, { [`${side}_transforms`]: [transform] });
      expect([refused.status, fieldsOf(refused)]).toEqual([400, [`${side}_transforms`]]);
    }
  });
});

describe('an application that may only read proxies', () => {
  it('does not see their keys', async () => {
    const made = await makeProxy(proxy);
    const { key } = await createApplication(proxy.vault, proxy.tenant, {
      type: 'management',
      permissions: ['proxy:read'],
    });
    for (const path of ['/proxies', `/proxies/${made.id}`]) {
      const shown = await proxy.vault.request('GET', path, { key });
      expect(shown.status).toBe(200);
      expect(shown.text).toContain(made.id);
      expect(shown.text).not.toContain(made.key);
    }
  });
});
