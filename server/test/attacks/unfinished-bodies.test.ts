import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAddressRange } from '../../src/core/network/address-range.ts';
import { fastest, untilTrue } from '../harness/deadline.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/**
 * Previously, sixty clients that each sent all but the last bytes of four megabytes held 180 MB for 33 seconds. Here,
 * clients send part of a body and then stop. The memory that they hold must be bounded and released soon, and no
 * request of another client may be lost.
 */
const mebibyte = 1024 * 1024;
const loopback = parseAddressRange('127.0.0.0/8');

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start(undefined, {
    // Trusting loopback as a proxy lets one test act as several clients.
    limits: { trustedProxies: loopback === undefined ? [] : [loopback] },
  });
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

interface Sender {
  readonly socket: Socket;
  status(): number | undefined;
  text(): string;
}

const opened: Socket[] = [];

/** Sends the head and `sentBytes` of a body that never ends. */
function begin(
  client: string,
  sentBytes: number,
  options: { path?: string; isChunked?: boolean; key?: string } = {},
): Sender {
  const { hostname, port } = new URL(vault.server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  opened.push(socket);
  let received = '';
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString();
  });
  socket.on('error', () => undefined);
  const framing = options.isChunked === true ? 'transfer-encoding: chunked' : `content-length: ${4 * mebibyte}`;
  const head = [
    `POST ${options.path ?? '/tokens'} HTTP/1.1`,
    'host: vault',
    `x-forwarded-for: ${client}`,
    `bt-api-key: ${options.key ?? tenant.keys.public}`,
    'content-type: application/json',
    framing,
  ].join('\r\n');
  const bytes = Buffer.alloc(sentBytes, 32);
  socket.write(`${head}\r\n\r\n`);
  socket.write(
    options.isChunked === true
      ? Buffer.concat([Buffer.from(`${sentBytes.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
      : bytes,
  );
  return {
    socket,
    status: () => (received === '' ? undefined : Number(/^HTTP\/1\.1 (\d+)/.exec(received)?.[1])),
    text: () => received,
  };
}

const endAll = () => opened.splice(0).forEach((socket) => socket.destroy());
const counted = (senders: readonly Sender[], status: number) => senders.filter((sender) => sender.status() === status);
const heldBytes = async () => {
  const text = await (await fetch(`${vault.server.adminUrl}/metrics`)).text();
  return Number(/^strongroom_request_body_bytes_held (\d+)$/m.exec(text)?.[1]);
};
const create = (client: string) =>
  vault.request('POST', '/tokens', {
    key: tenant.keys.private,
    body: { type: 'token', data: 'x'.repeat(20_000) },
    headers: { 'x-forwarded-for': client },
  });

describe('bodies that never end', () => {
  it.each([
    ['with a length', {}],
    ['in chunks', { isChunked: true }],
    ['to the proxy', { path: '/proxy', key: 'private' as const }],
    ['to tokenize', { path: '/tokenize', key: 'private' as const }],
  ])(
    'hold at most a share each client has: %s',
    async (_name, { key, ...options }: { key?: 'private'; path?: string; isChunked?: boolean }) => {
      const more = key === undefined ? options : { ...options, key: tenant.keys[key] };
      const senders = Array.from({ length: 20 }, () => begin('192.0.2.1', 3 * mebibyte, more));
      await untilTrue(() => counted(senders, 503).length >= 16, { waitingFor: 'refusals' });
      expect(counted(senders, 503)[0]?.text()).toMatch(/\r\nretry-after: 1\r\n/i);
      expect(counted(senders, 503)[0]?.text()).toContain('/docs/errors/overloaded');
      endAll();
    },
  );

  it('hold at most one share for an IPv6 network, however many addresses it has', async () => {
    const senders = Array.from({ length: 20 }, (_, index) => begin(`2001:db8::${index + 1}`, 3 * mebibyte));
    await untilTrue(() => counted(senders, 503).length >= 16, { waitingFor: 'refusals' });
    endAll();
  });

  it('do not keep others out, even when many clients send them', async () => {
    const senders = Array.from({ length: 60 }, (_, index) => begin(`198.51.100.${index}`, 3 * mebibyte));
    const calls = await Promise.all(Array.from({ length: 20 }, (_, index) => create(`203.0.113.${index}`)));
    expect(calls.map(({ status }) => status)).toEqual(Array(20).fill(201));
    // Sixty times 4 MiB would be 240 MiB. The limit is 64 MiB, so at least 44 were refused to make room.
    await untilTrue(() => counted(senders, 503).length >= 44, { waitingFor: 'refusals' });
    const late = await Promise.all(Array.from({ length: 20 }, (_, index) => create(`203.0.113.${index}`)));
    expect(late.map(({ status }) => status)).toEqual(Array(20).fill(201));
    endAll();
  });

  it('hold no more than 64 MiB together, and nothing when they are gone', async () => {
    const senders = Array.from({ length: 60 }, (_, index) => begin(`198.51.100.${index}`, 3 * mebibyte));
    await untilTrue(() => counted(senders, 503).length >= 44, { waitingFor: 'refusals' });
    expect(await heldBytes()).toBeGreaterThan(0);
    expect(await heldBytes()).toBeLessThanOrEqual(64 * mebibyte);
    endAll();
    await untilTrue(async () => (await heldBytes()) === 0, {
      waitingFor: 'memory to be given back',
    });
  });

  // These run concurrently because each waits for seconds.
  it.concurrent.each([
    ['all but the end of a large one', 4 * mebibyte - 1],
    ['a little of it', 1],
    ['nothing at all', 0],
  ])('are given up after seconds: %s', async (_name, sentBytes) => {
    const measure = async () => {
      const startedAt = performance.now();
      const sender = begin('192.0.2.9', sentBytes);
      await untilTrue(() => sender.status() !== undefined, { waitingFor: 'the end of it' });
      expect(sender.status()).toBe(408);
      const tookMs = performance.now() - startedAt;
      await untilTrue(() => sender.socket.destroyed, { waitingFor: 'a closed connection' });
      return tookMs;
    };
    expect(await fastest(measure, { enoughMs: 15_000 })).toBeLessThan(15_000);
  });

  it.concurrent('are given up when they go on by single bytes', async () => {
    const sender = begin('192.0.2.10', 1_000);
    const drip = setInterval(() => sender.socket.write(' '), 100);
    try {
      await untilTrue(() => sender.status() === 408, { waitingFor: 'the end of it' });
    } finally {
      clearInterval(drip);
    }
  });

  it('leave nothing behind', async () => {
    endAll();
    const answers = await Promise.all(Array.from({ length: 4 }, () => create('192.0.2.1')));
    expect(answers.map(({ status }) => status)).toEqual(Array(4).fill(201));
  });
});

describe('a body in the smallest chunks', () => {
  it('holds what it brings and not an object for every byte', async () => {
    const body = '{"type":"token","data":"small chunks"}';
    const { hostname, port } = new URL(vault.server.url);
    const socket = connect({ host: hostname, port: Number(port) });
    const chunks = [...body].map((character) => `1\r\n${character}\r\n`).join('');
    socket.write(
      `POST /tokens HTTP/1.1\r\nhost: x\r\nconnection: close\r\nbt-api-key: ${tenant.keys.private}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`,
    );
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    expect(text).toMatch(/^HTTP\/1\.1 201 /);
  });
});

describe('bodies that arrive', () => {
  it('are taken four at a time at full size from one client', async () => {
    const rawBody = JSON.stringify({ type: 'token', data: 'x' }).padEnd(4 * mebibyte, ' ');
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => vault.request('POST', '/tokens', { key: tenant.keys.private, rawBody })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(4).fill(201));
  });
});
