import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fastest } from '../../../test/harness/deadline.ts';
import { requestHead, sendRaw } from '../../../test/harness/raw-http.ts';
import { type ClientKind, sendFromElsewhere } from '../../../test/harness/separate-client.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';

const mebibyte = 1024 * 1024;
/**
 * The number of attempts per client, because each is a race that might be lost. `npm run test:bodies` sets a higher
 * number.
 */
const tries = Number(process.env['LARGE_BODIES'] ?? 6);

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

describe('413', () => {
  it.each<[ClientKind, number, number]>([
    ['fetch', 5, tries],
    ['fetch', 40, 2],
    ['fetch-stream', 5, tries],
    ['http-end', 5, tries],
    ['http-pipe', 5, tries],
    ['http-pipe', 40, 2],
    ['http-continue', 5, tries],
  ])('reaches a client that writes first: %s with %d MiB, %d of them', async (kind, size, times) => {
    const outcomes = await sendFromElsewhere(kind, {
      url: `${vault.server.url}/tokens`,
      key: tenant.keys.private,
      sizeBytes: size * mebibyte,
      times,
    });
    expect(outcomes).toEqual(Array(times).fill('413'));
  });

  it('reaches a client whose body is larger than anything that is read on', async () => {
    const outcomes = await sendFromElsewhere('fetch', {
      url: `${vault.server.url}/tokens`,
      key: tenant.keys.private,
      sizeBytes: 100 * mebibyte,
      times: 1,
    });
    expect(outcomes).toEqual(['413']);
  });

  const head = (headers: Readonly<Record<string, string>>) =>
    requestHead('POST /tokens', {
      connection: 'keep-alive',
      'bt-api-key': tenant.keys.private,
      'content-type': 'application/json',
      ...headers,
    });

  it('comes instead of the invitation to send the body, and ends the connection', async () => {
    const answer = await sendRaw(
      vault.server.url,
      head({ expect: '100-continue', 'content-length': String(5 * mebibyte) }),
    );
    expect(answer.text).not.toContain('100 Continue');
    expect([answer.status, answer.headers['connection']]).toEqual([413, 'close']);
  });

  it('is no reason not to invite a body that fits', async () => {
    const body = '{"type":"token","data":"x"}';
    const fitting = head({ connection: 'close', expect: '100-continue', 'content-length': String(body.length) });
    const answer = await sendRaw(vault.server.url, fitting + body);
    expect(answer.text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);
  });

  it.each([
    ['with a length', { 'content-length': String(4 * mebibyte + 1) }, ' '.repeat(4 * mebibyte + 1)],
    ['in chunks', { 'transfer-encoding': 'chunked' }, `${`100000\r\n${' '.repeat(mebibyte)}\r\n`.repeat(5)}0\r\n\r\n`],
  ])('closes the connection, so that nothing behind the body is taken for a request: %s', async (_name, more, body) => {
    const next = `GET /roles HTTP/1.1\r\nhost: x\r\nbt-api-key: ${tenant.keys.private}\r\n\r\n`;
    const answer = await sendRaw(vault.server.url, head(more) + body + next);
    expect(answer.text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413']);
    expect(answer.headers['connection']).toBe('close');
    expect(JSON.parse(answer.body)).toMatchObject({ type: '/docs/errors/body-too-large', status: 413 });
  });

  it('does not wait for a client that sends nothing more', async () => {
    const measure = async () => {
      const startedAt = performance.now();
      const answer = await sendRaw(vault.server.url, `${head({ 'content-length': String(9 * mebibyte) })}{`);
      expect(answer.status).toBe(413);
      return performance.now() - startedAt;
    };
    expect(await fastest(measure, { enoughMs: 8_000 })).toBeLessThan(8_000);
  });

  it('does not read for ever from a client that never stops', async () => {
    const { hostname, port } = new URL(vault.server.url);
    const socket = connect({ host: hostname, port: Number(port) });
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString();
    });
    const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
    socket.on('error', () => undefined);
    const chunk = Buffer.from(`100000\r\n${' '.repeat(mebibyte)}\r\n`);
    socket.write(head({ 'transfer-encoding': 'chunked' }));
    const send = () => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', send);
    send();
    await closed;
    expect(received).toMatch(/^HTTP\/1\.1 413 /);
    // The limit covers the bytes read before and after the response, and those buffered by the operating system.
    expect(socket.bytesWritten).toBeLessThan(200 * mebibyte);
  });

  it('comes from the portal as a page', async () => {
    const answer = await fetch(`${vault.server.url}/portal/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
      body: 'a'.repeat(40_000),
    });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([413, 'text/html; charset=utf-8']);
  });
});
