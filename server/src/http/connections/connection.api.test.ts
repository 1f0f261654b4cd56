import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { createQuietEdge } from '../../../test/harness/quiet-edge.ts';
import { requestHead, sendRaw } from '../../../test/harness/raw-http.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

describe('bytes that are not HTTP', () => {
  const head = (...lines: string[]) => `POST /tokens HTTP/1.1\r\nhost: x\r\n${lines.join('\r\n')}\r\n\r\n`;
  it.each<[string, string | Uint8Array]>([
    ['noise', Buffer.from(Array.from({ length: 512 }, (_, index) => (index * 89 + 131) % 256))],
    ['a TLS greeting', Buffer.from('16030100c8010000c40303', 'hex')],
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['another version', 'GET / HTTP/9.9\r\n\r\n'],
    ['no host', 'GET /roles HTTP/1.1\r\nconnection: close\r\n\r\n'],
    ['two lengths', head('content-length: 1', 'content-length: 2')],
    ['a length and chunks', head('content-length: 5', 'transfer-encoding: chunked')],
    ['a negative length', head('content-length: -1')],
    ['a length that is no number', head('content-length: 1e3')],
    ['an obscured encoding', head('transfer-encoding: xchunked')],
    ['chunks before another encoding', head('transfer-encoding: chunked, identity')],
    ['a blank before the colon', head('content-length : 5')],
    ['a header without a name', head(': x')],
    ['a header with a NUL', head('x: a\0b')],
    ['a chunk of no size', `${head('bt-api-key: x', 'transfer-encoding: chunked')}zz\r\n`],
  ])('get 400 and a closed connection: %s', async (_name, bytes) => {
    const answer = await sendRaw(vault.server.url, bytes);
    expect([400, 401]).toContain(answer.status);
    expect(answer.headers['connection']).toBe('close');
  });

  it('get the form that every refusal has', async () => {
    const answer = await sendRaw(vault.server.url, 'nonsense\r\n\r\n');
    expect(answer.headers).toMatchObject({
      'content-type': 'application/problem+json; charset=utf-8',
      'cache-control': 'no-store',
    });
    expect(JSON.parse(answer.body)).toEqual({
      type: '/docs/errors/malformed-request',
      title: 'Bad Request',
      status: 400,
      detail: expect.any(String),
      instance: 'unknown',
      trace_id: answer.headers['bt-trace-id'],
    });
  });

  it('431 for more header than anybody needs', async () => {
    const answer = await sendRaw(vault.server.url, requestHead('GET /roles', { 'x-long': 'x'.repeat(20_000) }));
    expect(answer.status).toBe(431);
    expect(JSON.parse(answer.body)).toMatchObject({ type: '/docs/errors/header-too-large', status: 431 });
  });

  it('do not disturb anybody else', async () => {
    const noise = Array.from({ length: 20 }, () => sendRaw(vault.server.url, 'nonsense\r\n\r\n'));
    const calls = Array.from({ length: 20 }, () => vault.request('GET', '/roles', { key: tenant.keys.public }));
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(20).fill(200));
    await Promise.all(noise);
  });
});

describe('bytes that are not HTTP, on a connection that is being answered', () => {
  /**
   * Sends a request, then nonsense when `isReady` returns true. Returns everything that was received over the
   * connection.
   */
  async function interrupt(path: string, isReady: (received: string) => boolean): Promise<string> {
    const app = await createQuietEdge();
    const { promise: never } = Promise.withResolvers<string>();
    const options = { config: { permission: 'public' }, schema: { hide: true } } as const;
    app.get('/stream', options, (_request, reply) => reply.send(begun()));
    let isCalled = false;
    app.get('/work', options, () => {
      isCalled = true;
      return never;
    });
    const { hostname, port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
    const socket = connect({ host: hostname, port: Number(port) });
    let received = '';
    let isClosed = false;
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString();
    });
    socket.on('close', () => {
      isClosed = true;
    });
    socket.on('error', () => undefined);
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
    await untilTrue(() => isReady(received) || isCalled, { waitingFor: 'the answer to begin' });
    socket.write('nonsense\r\n\r\n');
    await untilTrue(() => isClosed, { waitingFor: 'the connection to be closed' });
    app.server.closeAllConnections();
    await app.close();
    return received;
  }

  /** Returns a stream that has some data and does not end. */
  function begun(): Readable {
    const stream = new Readable({ read: () => undefined });
    stream.push('the first half');
    return stream;
  }

  it('are not answered into the answer', async () => {
    const received = await interrupt('/stream', (text) => text.includes('the first half'));
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(received).not.toContain('Bad Request');
  });

  it('are not answered in the place of an answer that is still to come', async () => {
    expect(await interrupt('/work', () => false)).toBe('');
  });
});

describe('a client that goes away', () => {
  it('in the middle of a body is no failure of ours', async () => {
    const { hostname, port } = new URL(vault.server.url);
    const traceId = crypto.randomUUID();
    const socket = connect({ host: hostname, port: Number(port) });
    const head = requestHead('POST /tokens', {
      'bt-api-key': tenant.keys.private,
      'bt-trace-id': traceId,
      'content-type': 'application/json',
      'content-length': '1000',
    });
    await new Promise<void>((resolve) => socket.write(`${head}{"type":`, () => resolve()));
    // When a later request has its response, the first one has been accepted and waits for the rest of its body.
    await vault.request('GET', '/roles', { key: tenant.keys.private });
    socket.destroy();
    const lines = () => vault.logLines.filter((line) => line.includes(traceId));
    await untilTrue(() => lines().length > 0, { waitingFor: 'the request to be logged' });
    expect(lines().map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        message: 'request abandoned',
        trace_id: traceId,
        method: 'POST',
        route: '/tokens',
        tenant_id: tenant.id,
        application_id: expect.any(String),
        key_id: expect.any(String),
      },
    ]);
  });
});

describe('a client that says nothing more', () => {
  it('is given up after a time', async () => {
    const app = await createQuietEdge();
    const { headersTimeout, requestTimeout, keepAliveTimeout } = app.server;
    expect(headersTimeout).toBeGreaterThan(0);
    expect(headersTimeout).toBeLessThanOrEqual(requestTimeout);
    expect(requestTimeout).toBe(30_000);
    expect(keepAliveTimeout).toBe(75_000);
    await app.close();
  });

  it('gets 408 in the middle of a request', async () => {
    const app = await createQuietEdge();
    // This simulates what Node does when a connection exceeds its time limit, without the wait.
    app.server.on('connection', (socket) => {
      socket.once('data', () => {
        const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
        app.server.emit('clientError', late, socket);
      });
    });
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const answer = await sendRaw(url, 'POST /tokens HTTP/1.1\r\nhost: x\r\n');
    expect(answer.status).toBe(408);
    expect(JSON.parse(answer.body)).toMatchObject({ type: '/docs/errors/request-timeout', status: 408 });
    await app.close();
  });
});
