import { Agent, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { untilTrue } from '../../test/harness/deadline.ts';
import { TestVault } from '../../test/harness/test-vault.ts';

const count = 20;

describe('a server that is told to stop', () => {
  it('finishes what it began, closes every connection and takes no more', async () => {
    const vault = await TestVault.start();
    const { management } = (await vault.makeTenant()).keys;
    const { url, adminUrl } = vault.server;
    const agent = new Agent({ keepAlive: true, maxSockets: count });
    const call = () => get(`${url}/applications`, management, agent);
    // Every connection is open and known to the server before the work begins.
    await Promise.all(Array.from({ length: count }, call));

    const owner = await vault.database.owner.connect();
    await owner.query('begin; lock table applications in access exclusive mode');
    const answers = Array.from({ length: count }, call);
    await untilTrue(async () => (await waitingFor(vault)) > 0 && (await queued(vault)) >= count - 8, {
      waitingFor: 'every request to be under way',
    });

    const stoppedAt = performance.now();
    const stopping = vault.server.stop();
    await untilTrue(async () => (await vault.request('GET', '/readyz', { url: adminUrl })).status === 503, {
      waitingFor: 'the server to say that it is going',
    });
    await expect(fetch(`${url}/roles`)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });

    await owner.query('commit');
    owner.release();
    const finished = await Promise.all(answers);
    expect(finished.map(({ status }) => status)).toEqual(Array(count).fill(200));
    expect(finished.map(({ connection }) => connection)).toEqual(Array(count).fill('close'));
    await stopping;
    // Before it would have cut connections that are idle: it closed them itself.
    expect(performance.now() - stoppedAt).toBeLessThan(20_000);
    expect(Object.keys(agent.sockets)).toEqual([]);
    await expect(fetch(`${adminUrl}/livez`)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    agent.destroy();
    await vault.database.drop();
  });
});

/** A request over a connection that stays open, as a service would send it. */
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

/** How many statements of the server wait for the lock. */
async function waitingFor(vault: TestVault): Promise<number> {
  const { rows } = await vault.database.owner.query(
    `select from pg_stat_activity where datname = current_database() and application_name = 'strongroom' and wait_event_type = 'Lock'`,
  );
  return rows.length;
}

/** How many requests wait for one of the server's connections to the database. */
async function queued(vault: TestVault): Promise<number> {
  const { text } = await vault.request('GET', '/metrics', { url: vault.server.adminUrl });
  return Number(/^strongroom_database_requests_waiting (\d+)$/m.exec(text)?.[1] ?? 0);
}
