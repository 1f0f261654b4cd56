import { Agent, request } from 'node:http';
import { setTimeout as pauseFor } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateRootKey } from '../../src/platform/keyring/kms/file-root-key.ts';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { untilTrue } from '../harness/deadline.ts';
import { type Backend, LocalHaproxy } from '../harness/local-haproxy.ts';
import { Program } from '../harness/program.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

// Two servers behind a proxy that reads their readiness, restarted in turn while clients use them: no request fails.

const restarts = Number(process.env['RESTARTS'] ?? 2);
const clients = 4;
const pauseMs = 30;
const slowClients = 2;
/** Longer than a server serves on after the signal: such a request is in progress when it takes no more connections. */
const slowBodyMs = 2_500;
const phases = ['stopping: unready, still serving', 'draining: no new connections, finishing requests', 'stopped'];

let database: TestDatabase;
let settings: Record<string, string>;
let key: string;
let backends: readonly [Backend, Backend];
let haproxy: LocalHaproxy;
const servers = new Map<Backend, Program>();

beforeAll(async () => {
  database = await createTestDatabase();
  settings = {
    STRONGROOM_DATABASE_URL: database.url,
    STRONGROOM_ROOT_KEY: generateRootKey(),
    STRONGROOM_PUBLIC_URL: 'https://vault.example.com',
    STRONGROOM_HOST: '127.0.0.1',
    STRONGROOM_RATE_LIMITS: 'off',
    STRONGROOM_DRAIN_DELAY_SECONDS: '2',
  };
  backends = [await makeBackend('a'), await makeBackend('b')];
  const { stdout } = await Program.run(['bootstrap', '--name', 'Acme', '--json'], settings);
  await Promise.all(backends.map(start));
  haproxy = await LocalHaproxy.start(backends);
  key = await makeKey((JSON.parse(stdout) as { keys: { management: string } }).keys.management);
});
afterAll(async () => {
  await haproxy.stop();
  await Program.killAll();
  await database.drop();
});

describe('a rolling restart', () => {
  it(`fails no request, in ${restarts} restarts under load`, { timeout: (1 + restarts) * 60_000 }, async () => {
    const load = new Load();
    for (let count = 0; count < restarts; count += 1) {
      const { code, messages } = await restart(backends[count % 2 === 0 ? 0 : 1]);
      expect({ code, phases: messages.filter((it) => it !== 'request') }).toEqual({
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
    const states = [...(await haproxy.states()).values()];
    expect(states).toEqual(backends.map(() => ({ isUp: true, requests: expect.any(Number), failures: 0 })));
    for (const { requests } of states) expect(requests).toBeGreaterThan(restarts * 5);
  });

  it('would be noticed if it did: a server that is killed fails requests', async () => {
    const load = new Load();
    await programOf(backends[0]).stop('SIGKILL');
    await untilTrue(() => load.failures.length > 0, { waitingFor: 'a request that fails' });
    await load.stop();
  });
});

async function makeBackend(name: string): Promise<Backend> {
  return { name, port: await findFreePort(), adminPort: await findFreePort() };
}

async function makeKey(management: string): Promise<string> {
  const made = await fetch(`${haproxy.url}/applications`, {
    method: 'POST',
    headers: { 'bt-api-key': management, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Load', type: 'private', permissions: ['token:create', 'token:read'] }),
  });
  return ((await made.json()) as { key: string }).key;
}

async function start(backend: Backend): Promise<void> {
  const ports = { STRONGROOM_PORT: String(backend.port), STRONGROOM_ADMIN_PORT: String(backend.adminPort) };
  const program = Program.start(['serve', '--json'], { ...settings, ...ports });
  servers.set(backend, program);
  await program.ready();
}

/** Stops a server, starts it again and waits until it gets requests. */
async function restart(backend: Backend) {
  const { code, stderr } = await programOf(backend).stop();
  await start(backend);
  await haproxy.untilUp([backend.name]);
  const lines = stderr.split('\n').filter((line) => line.endsWith('}'));
  return { code, messages: lines.map((line) => (JSON.parse(line) as { msg: string }).msg) };
}

function programOf(backend: Backend): Program {
  const program = servers.get(backend);
  if (program === undefined) throw new Error('The server was never started.');
  return program;
}

/** Clients that send one request after another over connections that they keep, until they are told to stop. */
class Load {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #clients: Promise<void>[];
  readonly failures: string[] = [];
  #isOver = false;
  #succeeded = 0;
  #slow = 0;

  constructor() {
    this.#clients = [
      ...Array.from({ length: clients }, () => this.#repeat(() => this.#createAndRead())),
      ...Array.from({ length: slowClients }, () => this.#repeat(() => this.#createSlowly())),
    ];
  }

  async stop(): Promise<{ succeeded: number; slow: number }> {
    this.#isOver = true;
    await Promise.all(this.#clients);
    this.#agent.destroy();
    return { succeeded: this.#succeeded, slow: this.#slow };
  }

  async #repeat(work: () => Promise<void>): Promise<void> {
    while (!this.#isOver) {
      await work().catch((error: unknown) => this.failures.push(String(error)));
      // Leaves the machine some time for servers that start.
      await pauseFor(pauseMs);
    }
  }

  async #createAndRead(): Promise<void> {
    const { id } = await this.#send('POST', '/tokens', 201, async (sent) => sent.end('{"type":"token","data":"kept"}'));
    await this.#send('GET', `/tokens/${id}`, 200, async (sent) => sent.end());
  }

  async #createSlowly(): Promise<void> {
    await this.#send('POST', '/tokens', 201, async (sent) => {
      sent.write('{"type":"token",');
      await pauseFor(slowBodyMs);
      sent.end('"data":"slow"}');
    });
    this.#slow += 1;
  }

  async #send(
    method: string,
    path: string,
    expected: number,
    write: (sent: ReturnType<typeof request>) => Promise<unknown>,
  ): Promise<{ id: string }> {
    const headers = { 'bt-api-key': key, 'content-type': 'application/json' };
    const sent = request(`${haproxy.url}${path}`, { method, agent: this.#agent, headers });
    const answered = new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      sent.once('error', reject);
      sent.once('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.once('error', reject);
        response.once('end', () => resolve({ status: response.statusCode, text }));
      });
    });
    const [{ status, text }] = await Promise.all([answered, write(sent)]);
    if (status !== expected) throw new Error(`${method} ${path} got ${status}`);
    this.#succeeded += 1;
    return JSON.parse(text) as { id: string };
  }
}
