import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../harness/deadline.ts';
import { MeasuredVault } from '../harness/measured-vault.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/**
 * Previously, two hundred connections without a key that requested a script of 4.3 MB and never read it occupied 820 MB
 * indefinitely.
 */
let vault: TestVault;
let tenant: TestTenant;
let measured: MeasuredVault;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  measured = await MeasuredVault.start(vault, tenant.keys.private);
  const body = JSON.stringify({ id: 'large', type: 'token', data: 'x'.repeat(3_900_000) });
  await measured.send({ method: 'POST', path: '/tokens', key: tenant.keys.private, body });
});
afterAll(async () => {
  await measured.stop();
  await vault.stop();
});

const clients = 100;
const opened: Socket[] = [];
afterEach(() => opened.splice(0).forEach((socket) => socket.destroy()));

const targets = {
  'the reference script': () => ({ path: '/docs/js/scalar.js', key: '' }),
  'a large token': () => ({ path: '/tokens/large', key: tenant.keys.reveal }),
} as const;
const names = Object.keys(targets) as (keyof typeof targets)[];

/** Opens a connection that sends the request `times` times and does not read the responses. */
function ask({ path, key }: { path: string; key: string }, times = 1): Socket {
  const { hostname, port } = new URL(measured.url);
  const socket = connect({ host: hostname, port: Number(port) });
  opened.push(socket);
  socket.on('error', () => undefined).pause();
  const head = `GET ${path} HTTP/1.1\r\nhost: x\r\n${key === '' ? '' : `bt-api-key: ${key}\r\n`}\r\n`;
  socket.write(head.repeat(times));
  return socket;
}

describe.each(names)('responses that nobody reads: %s', (name) => {
  it('hold little, and are given up in seconds', async () => {
    const target = targets[name]();
    await measured.send({ method: 'GET', ...target });
    const before = await measured.residentMebibytes();
    const openBefore = await measured.openCount();
    let peak = 0;
    const countOpen = async () => {
      peak = Math.max(peak, (await measured.residentMebibytes()) - before);
      return (await measured.openCount()) - openBefore;
    };
    // Each request is sent twice, because the system itself buffers several megabytes per connection.
    for (let count = 0; count < clients; count += 1) ask(target, 2);
    await untilTrue(async () => (await countOpen()) > clients / 2, { waitingFor: 'connections' });
    await untilTrue(async () => (await countOpen()) < clients / 5, { waitingFor: 'their end' });
    // All connections share one copy of the script. A token must be read and decrypted for each request, even if it is
    // only held briefly.
    if (target.key === '') expect(peak).toBeLessThan(200);
  });

  it('are read whole by those who read, one after the other and together', async () => {
    const request = { method: 'GET', ...targets[name]() };
    const alone = await measured.send(request);
    expect(alone.status).toBe(200);
    expect(alone.text.length).toBeGreaterThan(3_900_000);
    const together = await Promise.all(Array.from({ length: 6 }, () => measured.send(request)));
    expect(together.every(({ text }) => text === alone.text)).toBe(true);
  });
});

describe('a reader that is slow', () => {
  it('gets all of it as long as it reads on', async () => {
    const socket = ask(targets['the reference script']());
    let bytes = 0;
    let isEnded = false;
    const slowly = setInterval(() => {
      const chunk = socket.read() as Buffer | null;
      bytes += chunk?.length ?? 0;
    }, 50);
    socket.on('close', () => {
      isEnded = true;
    });
    try {
      await untilTrue(() => bytes > 4_300_000 || isEnded, { waitingFor: 'all of it' });
    } finally {
      clearInterval(slowly);
    }
    expect(bytes).toBeGreaterThan(4_300_000);
  });
});
