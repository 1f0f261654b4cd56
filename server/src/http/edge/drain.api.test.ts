import { Agent, request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';

const count = 20;
const phases = ['stopping: unready, still serving', 'draining: no new connections, finishing requests', 'stopped'];
const notReady = {
  status: 'unavailable',
  checks: expect.arrayContaining([{ name: 'not draining', status: 'unavailable' }]),
};

let vault: TestVault;
let tenant: TestTenant;
let agent: Agent;
afterEach(async () => {
  agent.destroy();
  await vault.stop();
});

async function start(drain: { delaySeconds: number; timeoutSeconds: number }) {
  vault = await TestVault.start(undefined, { drain });
  tenant = await vault.makeTenant();
  agent = new Agent({ keepAlive: true, maxSockets: count });
  const { url, adminUrl } = vault.server;
  return { url, adminUrl, list: () => get(`${url}/applications`, tenant.keys.management, agent) };
}

/** Starts requests that wait for a lock on their table until it is released. */
async function holdRequests(send: () => ReturnType<typeof get>) {
  // Every connection is open and known to the server before the requests begin.
  await Promise.all(Array.from({ length: count }, send));
  const owner = await vault.database.owner.connect();
  await owner.query('begin; lock table applications in access exclusive mode');
  const answers = Array.from({ length: count }, send);
  await untilTrue(async () => (await waitingFor(vault)) > 0 && (await queued(vault)) >= count - 8, {
    waitingFor: 'every request to be under way',
  });
  const release = async () => {
    await owner.query('commit');
    owner.release();
  };
  return { answers, release };
}

const phasesLogged = () =>
  vault.logLines.map((line) => (JSON.parse(line) as { message: string }).message).filter((it) => phases.includes(it));

describe('a server that is told to stop', () => {
  it('reports unready and serves on, then finishes what it began, closes every connection and takes no more', async () => {
    const { url, adminUrl, list } = await start({ delaySeconds: 2, timeoutSeconds: 20 });
    const { answers, release } = await holdRequests(list);

    const stoppedAt = performance.now();
    const stopping = vault.server.stop();
    const served = await get(`${url}/roles`, tenant.keys.management, new Agent());
    expect(served).toEqual({ status: 200, connection: 'close' });
    // The request was served before the server stopped accepting connections.
    expect(phasesLogged()).toEqual(phases.slice(0, 1));
    expect((await vault.request('GET', '/readyz?verbose', { url: adminUrl })).body).toMatchObject(notReady);

    const isRefused = () =>
      fetch(`${url}/roles`).then(
        () => false,
        () => true,
      );
    await untilTrue(isRefused, { waitingFor: 'the server to take no more connections' });
    await expect(fetch(`${url}/roles`)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    expect((await vault.request('GET', '/readyz?verbose', { url: adminUrl })).body).toMatchObject(notReady);
    expect(phasesLogged()).toEqual(phases.slice(0, 2));

    await release();
    const finished = await Promise.all(answers);
    expect(finished).toEqual(answers.map(() => ({ status: 200, connection: 'close' })));
    await stopping;
    // The server closed its idle connections itself, before they would have been cut off.
    expect(performance.now() - stoppedAt).toBeLessThan(18_000);
    expect(Object.keys(agent.sockets)).toEqual([]);
    await expect(fetch(`${adminUrl}/livez`)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    expect(phasesLogged()).toEqual(phases);
  });

  it('cuts off requests that take too long, and says how many', async () => {
    const { list } = await start({ delaySeconds: 0, timeoutSeconds: 1 });
    const { answers, release } = await holdRequests(list);
    const stopping = vault.server.stop();
    const cut = await Promise.allSettled(answers);
    expect(cut.map(({ status }) => status)).toEqual(Array(count).fill('rejected'));
    await release();
    await stopping;
    expect(vault.logLines.map((line) => JSON.parse(line) as object)).toContainEqual({
      message: 'requests cut off',
      count,
    });
  });
});

/** Sends a request over a connection that stays open, like a service would. */
function get(url: string, key: string, agent: Agent): Promise<{ status: number; connection: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers: { 'bt-api-key': key } }, (response) => {
      response.resume();
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, connection: response.headers.connection ?? '' }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** Returns how many statements of the server wait for the lock. */
async function waitingFor(vault: TestVault): Promise<number> {
  const { rows } = await vault.database.owner.query(
    `select from pg_stat_activity where datname = current_database() and application_name = 'strongroom' and wait_event_type = 'Lock'`,
  );
  return rows.length;
}

/** Returns how many requests wait for one of the server's database connections. */
async function queued(vault: TestVault): Promise<number> {
  const { text } = await vault.request('GET', '/metrics', { url: vault.server.adminUrl });
  return Number(/^strongroom_database_requests_waiting\{pool="vault"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}
