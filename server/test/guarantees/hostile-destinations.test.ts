import { once } from 'node:events';
import { request } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../harness/deadline.ts';
import { type Containment, hostileDestinations } from '../harness/hostile-destinations.ts';
import { destinationHost, ProxyVault } from '../harness/proxy-vault.ts';
import { callStored, makeProxy } from '../harness/stored-proxies.ts';
import { TestAuthority } from '../harness/test-authority.ts';
import { answerOk, TlsDestination } from '../harness/tls-destination.ts';

const limits = {
  callMs: 600,
  connectMs: 400,
  answerBodyBytesMax: 1024 * 1024,
  answerBytesPerSecond: 64 * 1024 * 1024,
};
/** The time that a call may take beyond its limit on a busy machine. It is less than the default limit of a call. */
const graceMs = 20_000;

let proxy: ProxyVault;
const impostors = new Map<string, number>();
const closing: (() => unknown)[] = [];
beforeAll(async () => {
  proxy = await ProxyVault.start({
    limits,
    prepare: startImpostors,
    behaviour: (socket, { head }) => {
      const index = Number(head.split(' ')[1]?.slice(1));
      (hostileDestinations[index]?.behave ?? answerOk)(socket);
    },
  });
});
afterAll(async () => {
  await proxy.stop();
  for (const close of closing) await close();
});

const failures: readonly Observed['got'][] = ['cut', 408, 502];

interface Observed {
  readonly got: Containment | 'an error that breaks off';
  readonly status: number;
  readonly body: Buffer;
  readonly ms: number;
}

/**
 * Calls a destination as a client that observes the whole response. Reports whether the response came from the
 * destination and whether it is complete.
 */
function observe(path: string, url = proxy.url, body?: Buffer): Promise<Observed> {
  const startedAt = performance.now();
  const headers = { 'bt-api-key': proxy.tenant.keys.private, 'bt-proxy-url': url };
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': body.length };
    const method = body === undefined ? 'GET' : 'POST';
    const options = { method, agent: false, headers: { ...headers, ...length } } as const;
    const sent = request(`${proxy.vault.server.url}/proxy${path}`, options, (answer) => {
      const chunks: Buffer[] = [];
      const status = answer.statusCode ?? 0;
      const isTheirs = answer.headers['bt-proxy-destination-status'] !== undefined;
      const done = (ending: 'whole' | 'cut') => {
        const got = isTheirs ? ending : ending === 'cut' ? 'an error that breaks off' : (status as Containment);
        resolve({ got, status, body: Buffer.concat(chunks), ms: performance.now() - startedAt });
      };
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => done('whole'));
      answer.on('error', () => done('cut'));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/**
 * Observes a call, and repeats it if it timed out on a busy machine before the destination had sent everything. Such a
 * call ends with a timeout, a failure or a truncated response. A response that passes for complete is never repeated.
 */
async function observeInTime(path: string, isHeard: (seen: Observed) => boolean): Promise<Observed> {
  let seen = await observe(path);
  await untilTrue(
    async () => {
      expect(seen.ms).toBeLessThan(limits.callMs + graceMs);
      if (isHeard(seen) || !failures.includes(seen.got)) return true;
      seen = await observe(path);
      return false;
    },
    { waitingFor: 'a call that does not end early' },
  );
  return seen;
}

async function expectNothingLeft(): Promise<void> {
  await untilTrue(() => proxy.destination.sockets.size === 0, { waitingFor: 'closed connections' });
  await untilTrue(async () => (await gauge('strongroom_proxy_calls_open')) === 0, {
    waitingFor: 'no open call',
  });
  const openRows = async () => (await proxy.vault.database.owner.query('select from proxy_calls')).rows.length;
  await untilTrue(async () => (await openRows()) === 0, { waitingFor: 'no open row' });
}

async function gauge(name: string): Promise<number> {
  const text = await (await fetch(`${proxy.vault.server.adminUrl}/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length));
}

describe('a destination that', () => {
  it('is hostile comes in more than 40 kinds', () => {
    expect(hostileDestinations.length).toBeGreaterThanOrEqual(40);
  });

  it.each(hostileDestinations.map(({ name, expected }, index) => ({ name, expected, index })))(
    '$name is contained',
    async ({ expected, index }) => {
      const { got } = await observeInTime(`/${index}`, ({ got: seen }) => expected.some((one) => one === seen));
      expect(expected).toContain(got);
    },
  );

  it('is hostile leaves nothing behind: no connection, no open call', expectNothingLeft);

  it.each([...hostileDestinations.entries()].filter(([, { expected }]) => expected.includes('cut')))(
    'number %i of these, behind a proxy with transforms, is a failure of the destination',
    async (index) => {
      const transforms = [{ type: 'remove', options: { location: '$.secret' } }];
      const { key } = await makeProxy(proxy, { destination_url: proxy.url, response_transforms: transforms });
      const call = { path: `/${index}`, key: proxy.tenant.keys.private };
      const { status, body } = await callStored(proxy, key, call);
      expect([408, 502]).toContain(status);
      expect(body).toHaveProperty('proxy_error');
    },
  );

  it('sends something behind its answer does not get it to the client', async () => {
    for (const name of ['sends a second answer behind the first', 'sends noise behind its answer']) {
      const index = hostileDestinations.findIndex((one) => one.name === name);
      const { body } = await observeInTime(`/${index}`, ({ got }) => got === 'whole');
      expect(body.toString('latin1')).toBe('first');
    }
  });

  it('never ends is cut off at the limit, and counted as what it is', async () => {
    const index = hostileDestinations.findIndex(({ name }) => name === 'sends a body without end');
    // On a busy machine, a call may time out before the limit is reached.
    await untilTrue(
      async () => {
        const { got, body } = await observe(`/${index}`);
        expect([got, body.length <= limits.answerBodyBytesMax]).toEqual(['cut', true]);
        return (await gauge('strongroom_proxy_calls_total{stage="exchange",reason="answer-too-large"}')) > 0;
      },
      { waitingFor: 'a call that ends at the limit' },
    );
  });

  it('sends a bomb gets it to the client as it is, unopened', async () => {
    for (const name of ['sends a gzip bomb', 'sends a brotli bomb']) {
      const index = hostileDestinations.findIndex((one) => one.name === name);
      const { status, body } = await observeInTime(`/${index}`, ({ got }) => got === 'whole');
      expect([status, body.length < 100_000]).toEqual([200, true]);
    }
  });

  it('answers before it has read everything is heard, or the call fails', async () => {
    const url = `https://${destinationHost}:${impostors.get('an answer that comes too early')}`;
    const { got, status } = await observe('/', url, Buffer.alloc(3 * 1024 * 1024));
    expect([
      ['whole', 413],
      [408, 408],
      [502, 502],
    ]).toContainEqual([got, status]);
  });

  it('is hostile all at once does not take more memory than its limits allow', async () => {
    const before = process.memoryUsage().rss;
    const all = hostileDestinations.map(({ expected }, index) => ({ expected, index }));
    const observed = await Promise.all(all.map(async (one) => ({ ...one, ...(await observe(`/${one.index}`)) })));
    // This many floods in one process are slow, so a failure may appear as a timeout. A truncated response never
    // passes for a complete one.
    const contained = (expected: readonly Containment[]) => ['cut', 408, 502, ...expected];
    const wrong = observed.filter(
      ({ expected, got, ms }) => !contained(expected).includes(got) || ms > limits.callMs + 2 * graceMs,
    );
    expect(wrong.map(({ index, got }) => `${hostileDestinations[index]?.name}: ${got}`)).toEqual([]);
    // The destinations, which send the floods, run in this process too.
    expect(process.memoryUsage().rss - before).toBeLessThan(256 * 1024 * 1024);
    await expectNothingLeft();
  });
});

describe('a client that', () => {
  it('does not read holds its destination up, and neither fills our memory nor lasts', async () => {
    const index = hostileDestinations.findIndex(({ name }) => name === 'sends a body without end');
    const headers = { 'bt-api-key': proxy.tenant.keys.private, 'bt-proxy-url': proxy.url };
    const sent = request(`${proxy.vault.server.url}/proxy/${index}`, { agent: false, headers }).end();
    sent.on('error', () => undefined);
    await once(sent, 'response');
    let written = 0;
    await untilTrue(
      () => {
        for (const socket of proxy.destination.sockets) written = Math.max(written, socket.bytesWritten);
        return proxy.destination.sockets.size === 0;
      },
      { deadlineMs: limits.callMs + graceMs, waitingFor: 'the end of the call' },
    );
    expect(written).toBeGreaterThan(0);
    sent.destroy();
    await expectNothingLeft();
  });

  it('goes away takes its call with it', async () => {
    const headers = { 'bt-api-key': proxy.tenant.keys.private, 'bt-proxy-url': proxy.url };
    const before = proxy.destination.connectionCount;
    const sent = request(`${proxy.vault.server.url}/proxy/0`, { agent: false, headers }).end();
    sent.on('error', () => undefined);
    await untilTrue(() => proxy.destination.connectionCount > before, { waitingFor: 'the call' });
    sent.destroy();
    await expectNothingLeft();
    const { rows } = await proxy.vault.database.owner.query<{ outcome: string }>(
      `select outcome from audit_records where entity_type = 'proxy' order by created_at desc limit 1`,
    );
    expect(rows[0]?.outcome).toBe('failed');
  });
});

describe('a destination that does not prove its name', () => {
  it.each([
    'a certificate of nobody we know',
    'a certificate that has expired',
    'a certificate for another name',
    'a certificate for an address only',
    'a certificate for clients',
    'a certificate that it made itself',
    'TLS 1.1 and no better',
    'no TLS at all',
    'silence after the connection',
    'a handshake that breaks off',
    'HTTP/2 and nothing else',
    'a wish to see our certificate',
  ])('but shows %s gets nothing', async (name) => {
    const port = impostors.get(name) ?? 0;
    const { got, ms } = await observe('/', `https://${destinationHost}:${port}`);
    expect(got).toBe(502);
    expect(ms).toBeLessThan(limits.connectMs * 3 + graceMs);
    expect(received.get(port) ?? 0).toBe(0);
  });
});

/** The number of requests that each impostor received, by port. */
const received = new Map<number, number>();

async function startImpostors(authority: TestAuthority): Promise<{ ports: number[] }> {
  const stranger = await TestAuthority.create();
  closing.push(() => stranger.remove());
  const names = [destinationHost];
  const good = await authority.issue(names);
  const tls: [string, TlsOptions][] = [
    ['a certificate of nobody we know', await stranger.issue(names)],
    ['a certificate that has expired', await authority.issue(names, { endsDaysAhead: -1 })],
    ['a certificate for another name', await authority.issue(['other.provider.example'])],
    ['a certificate for an address only', await authority.issue(['127.0.0.1'])],
    ['a certificate for clients', await authority.issue(names, { purpose: 'clientAuth' })],
    ['a certificate that it made itself', await selfSigned()],
    ['TLS 1.1 and no better', { ...good, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }],
    ['HTTP/2 and nothing else', { ...good, ALPNProtocols: ['h2'] }],
    [
      'a wish to see our certificate',
      { ...good, requestCert: true, rejectUnauthorized: true, ca: authority.certificate },
    ],
  ];
  for (const [name, options] of tls) {
    const destination = await TlsDestination.start(options, (socket) => {
      received.set(destination.port, (received.get(destination.port) ?? 0) + 1);
      answerOk(socket);
    });
    impostors.set(name, destination.port);
    closing.push(() => destination.stop());
  }
  impostors.set('an answer that comes too early', await listenEarly(good));
  impostors.set('no TLS at all', await listen((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n')));
  impostors.set('silence after the connection', await listen(() => undefined));
  impostors.set('a handshake that breaks off', await listen((socket) => socket.once('data', () => socket.destroy())));
  return { ports: [...impostors.values()] };
}

async function selfSigned(): Promise<TlsOptions> {
  const own = await TestAuthority.create();
  closing.push(() => own.remove());
  return own.issue([destinationHost]);
}

/** Responds and closes the connection as soon as the first bytes arrive. */
async function listenEarly(options: TlsOptions): Promise<number> {
  const server = createTlsServer(options, (socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function listen(behave: (socket: Socket) => unknown): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    behave(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
}
