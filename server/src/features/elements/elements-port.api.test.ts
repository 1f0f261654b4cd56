import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { ElementsBuild } from '../../../test/harness/elements-build.ts';
import { destinationHost, ProxyVault } from '../../../test/harness/proxy-vault.ts';
import { requestHead, sendRaw } from '../../../test/harness/raw-http.ts';
import { createApplication } from '../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';

let build: ElementsBuild;
beforeAll(async () => {
  build = await ElementsBuild.make();
});
afterAll(() => build.remove());

const elements = () => ({ config: { url: 'https://elements.example.com', port: 0 }, folder: build.folder });

describe('the port of the elements origin', () => {
  let vault: TestVault;
  beforeAll(async () => {
    vault = await TestVault.start(undefined, { elements: elements() });
  });
  afterAll(() => vault.stop());

  const file = '/elements/client.js';
  it.each<[string, string, number]>([
    ['bytes that are no HTTP', 'nonsense\r\n\r\n', 400],
    ['a request without a host', `GET ${file} HTTP/1.1\r\nconnection: close\r\n\r\n`, 400],
    ['too many headers', requestHead(`GET ${file}`, { x: 'y'.repeat(20_000) }), 431],
    [
      'an announced body that is too large',
      requestHead('POST /api/tokens', { expect: '100-continue', 'content-length': '99999999' }),
      401,
    ],
    [
      'a second request behind an upgrade',
      `${requestHead(`GET ${file}`, { connection: 'upgrade', upgrade: 'websocket' })}${requestHead('GET /elements/check', {})}`,
      200,
    ],
  ])('treats %s like the port of the API', async (_name, bytes, status) => {
    const answer = await sendRaw(vault.server.elementsUrl ?? '', bytes);
    expect(answer.status).toBe(status);
    expect(answer.text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    if (status >= 400) expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(answer.headers['connection']).toBe('close');
  });

  it('counts requests for the same limits', async () => {
    const { limits } = vault;
    const table = { ...limits.table, global: { ...limits.table.global, limit: 3 } };
    const limited = await TestVault.start(undefined, { elements: elements(), limits: { table } });
    const { url, elementsUrl = '' } = limited.server;
    await fetch(`${url}/docs`);
    const statuses: number[] = [];
    for (let sent = 0; sent < 4; sent += 1) statuses.push((await fetch(`${elementsUrl}/elements/check`)).status);
    expect(statuses).toEqual([200, 200, 429, 429]);
    await limited.stop();
  });
});

describe('a server that is told to stop', () => {
  const path = '/api/tokens/a14b6bd1-7b32-4b2c-b0f5-8b3a0f7f1f10';
  const get = (url: string, key: string, agent: Agent) =>
    new Promise<{ status: number | undefined; connection: string | undefined }>((resolve, reject) => {
      const sent = request(url, { agent, headers: { 'bt-api-key': key } }, (response) => {
        response.resume();
        const { statusCode: status, headers } = response;
        response.on('end', () => resolve({ status, connection: headers.connection }));
      });
      sent.on('error', reject).end();
    });

  async function holdRequest(timeoutSeconds: number) {
    const vault = await TestVault.start(undefined, {
      elements: elements(),
      drain: { delaySeconds: 0, timeoutSeconds },
    });
    const tenant = await vault.makeTenant();
    const { key } = await createApplication(vault, tenant, { type: 'public', permissions: ['token:create'] });
    const { elementsUrl = '' } = vault.server;
    const [busy, idle] = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })];
    expect((await get(`${elementsUrl}/elements/check`, key, idle)).status).toBe(200);
    const owner = await vault.database.owner.connect();
    await owner.query('begin; lock table application_keys, audit_records in access exclusive mode');
    const held = get(`${elementsUrl}${path}`, key, busy);
    const settled = held.catch((error: unknown) => error);
    await untilTrue(async () => (await waitingFor(vault)) > 0, { waitingFor: 'the request to be under way' });
    const release = async () => {
      await owner.query('commit');
      owner.release();
    };
    return { vault, settled, release, elementsUrl };
  }

  it('finishes the requests of this port, and closes its connections', async () => {
    const { vault, settled, release, elementsUrl } = await holdRequest(20);
    const stoppedAt = performance.now();
    const stopping = vault.server.stop();
    const isRefused = () =>
      fetch(elementsUrl).then(
        () => false,
        () => true,
      );
    await untilTrue(isRefused, { waitingFor: 'the port to take no more connections' });
    await release();
    expect(await settled).toEqual({ status: 403, connection: 'close' });
    await stopping;
    expect(performance.now() - stoppedAt).toBeLessThan(18_000);
    await vault.stop();
  });

  it('cuts them off when they take too long', async () => {
    const { vault, settled, release } = await holdRequest(1);
    const stopping = vault.server.stop();
    expect(await settled).toBeInstanceOf(Error);
    await release();
    await stopping;
    expect(vault.logLines.join('\n')).toContain('{"message":"requests cut off","count":1}');
    await vault.stop();
  });
});

/** Starts a session whose authorizer lists the destination. The proxy requires this for card fields. */
async function startSession(vault: TestVault, tenant: TestTenant, permissions: readonly string[]): Promise<string> {
  const started = await vault.request('POST', '/sessions', { key: tenant.keys.public });
  const { nonce, session_key: key } = started.body as { nonce: string; session_key: string };
  const { key: authorizer } = await createApplication(vault, tenant, {
    permissions,
    allowed_destinations: [destinationHost],
  });
  await vault.request('POST', '/sessions/authorize', { key: authorizer, body: { nonce, permissions } });
  return key;
}

async function waitingFor(vault: TestVault): Promise<number> {
  const { rows } = await vault.database.owner.query<{ count: string }>(
    `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return Number(rows[0]?.count);
}

describe('the proxy behind /api', () => {
  it('leaves out the cookies of a destination', async () => {
    const head = 'HTTP/1.1 200 OK\r\nSet-Cookie: session=1\r\nset-cookie: other=2\r\ncontent-length: 2\r\n\r\n';
    const proxy = await ProxyVault.start({
      elements: elements(),
      behaviour: (socket) => void socket.write(`${head}{}`),
    });
    const { vault, tenant, destination } = proxy;
    const key = await startSession(vault, tenant, ['token:use']);
    const headers = { 'bt-proxy-url': `https://${destinationHost}:${destination.port}` };
    const ask = (url: string, path: string) => vault.request('GET', path, { key, headers, url });
    const direct = await ask(vault.server.url, '/proxy');
    expect([direct.status, direct.headers.getSetCookie()]).toEqual([200, ['session=1', 'other=2']]);
    const framed = await ask(vault.server.elementsUrl ?? '', '/api/proxy');
    expect([framed.status, framed.headers.getSetCookie(), framed.text]).toEqual([200, [], '{}']);
    await proxy.stop();
  });
});
