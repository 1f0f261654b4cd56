import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { BalancedServers, balancedSettings } from '../harness/balanced-servers.ts';
import { ClientLoad } from '../harness/client-load.ts';
import { untilTrue } from '../harness/deadline.ts';
import { Program } from '../harness/program.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

// Two servers behind a proxy that checks their readiness are restarted in turn under load. No request fails.

const restarts = Number(process.env['RESTARTS'] ?? 2);
const phases = ['stopping: unready, still serving', 'draining: no new connections, finishing requests', 'stopped'];

let database: TestDatabase;
let key: string;
let servers: BalancedServers;

beforeAll(async () => {
  database = await createTestDatabase();
  const settings = balancedSettings({ url: database.url, rootKey: generateRootKey() });
  const { stdout } = await Program.run(['bootstrap', '--name', 'Acme', '--json'], settings);
  servers = await BalancedServers.start(settings);
  key = await servers.makeKey((JSON.parse(stdout) as { keys: { management: string } }).keys.management);
});
afterAll(async () => {
  await servers.haproxy.stop();
  await Program.killAll();
  await database.drop();
});

describe('a rolling restart', () => {
  it(`fails no request, in ${restarts} restarts under load`, { timeout: (1 + restarts) * 60_000 }, async () => {
    const load = new ClientLoad({ url: servers.haproxy.url, key });
    for (let count = 0; count < restarts; count += 1) {
      const { code, stderr } = await servers.restart(servers.backends[count % 2 === 0 ? 0 : 1]);
      expect({ code, phases: messagesIn(stderr).filter((it) => it !== 'request') }).toEqual({
        code: 0,
        phases: ['serving', ...phases],
      });
    }
    const { succeeded, slow } = await load.stop();
    const failed = load.failures.length;
    process.stdout.write(`${restarts} restarts: ${succeeded} requests, ${slow} of them slow, ${failed} failed\n`);
    expect(load.failures).toEqual([]);
    expect(succeeded).toBeGreaterThan(restarts * 20);
    expect(slow).toBeGreaterThanOrEqual(restarts);
    const states = [...(await servers.haproxy.states()).values()];
    expect(states).toEqual(servers.backends.map(() => ({ isUp: true, requests: expect.any(Number), failures: 0 })));
    for (const { requests } of states) expect(requests).toBeGreaterThan(restarts * 5);
  });

  it('would be noticed if it did: a server that is killed fails requests', async () => {
    const load = new ClientLoad({ url: servers.haproxy.url, key });
    await servers.programOf(servers.backends[0]).stop('SIGKILL');
    await untilTrue(() => load.failures.length > 0, { waitingFor: 'a request that fails' });
    await load.stop();
  });
});

function messagesIn(log: string): string[] {
  const lines = log.split('\n').filter((line) => line.endsWith('}'));
  return lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
}
