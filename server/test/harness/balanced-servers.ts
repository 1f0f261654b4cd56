import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { type Backend, LocalHaproxy } from './local-haproxy.ts';
import { type Exit, Program } from './program.ts';

/** Two servers behind a load balancer that checks their readiness. */
export class BalancedServers {
  readonly backends: readonly [Backend, Backend];
  readonly haproxy: LocalHaproxy;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #programs: Map<Backend, Program>;

  /** Starts both servers from `main`, or from this source tree by default. */
  static async start(settings: Readonly<Record<string, string>>, main?: string): Promise<BalancedServers> {
    const backends = [await makeBackend('a'), await makeBackend('b')] as const;
    const launched = backends.map(async (backend) => [backend, await launch(settings, backend, main)] as const);
    const programs = new Map(await Promise.all(launched));
    return new BalancedServers({ settings, backends, programs, haproxy: await LocalHaproxy.start(backends) });
  }

  private constructor(parts: {
    settings: Readonly<Record<string, string>>;
    backends: readonly [Backend, Backend];
    programs: Map<Backend, Program>;
    haproxy: LocalHaproxy;
  }) {
    this.#settings = parts.settings;
    this.backends = parts.backends;
    this.#programs = parts.programs;
    this.haproxy = parts.haproxy;
  }

  programOf(backend: Backend): Program {
    const program = this.#programs.get(backend);
    if (program === undefined) throw new Error('The server was never started.');
    return program;
  }

  /** Restarts a server and waits until it receives requests. Returns how the old process ended. */
  async restart(backend: Backend, main?: string): Promise<Exit> {
    const exit = await this.programOf(backend).stop();
    this.#programs.set(backend, await launch(this.#settings, backend, main));
    await this.haproxy.untilUp([backend.name]);
    return exit;
  }

  /** Creates an application that stores and reads tokens, and returns its key. */
  makeKey(management: string): Promise<string> {
    return makeLoadKey(this.haproxy.url, management);
  }
}

/** Creates an application that stores and reads tokens, and returns its key. */
export async function makeLoadKey(url: string, management: string): Promise<string> {
  const response = await fetch(`${url}/applications`, {
    method: 'POST',
    headers: { 'bt-api-key': management, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Load', type: 'private', rules: [seesEverything] }),
  });
  return ((await response.json()) as { key: string }).key;
}

async function launch(
  settings: Readonly<Record<string, string>>,
  { port, adminPort }: Backend,
  main?: string,
): Promise<Program> {
  const ports = { STRONGROOM_PORT: String(port), STRONGROOM_ADMIN_PORT: String(adminPort) };
  const program = Program.start(['serve', '--json'], { ...settings, ...ports }, main);
  await program.ready();
  return program;
}

/** Returns settings with a drain of two seconds after the signal, which gives the load balancer time to notice. */
export function balancedSettings(vault: { readonly url: string; readonly rootKey: string }): Record<string, string> {
  return {
    STRONGROOM_DATABASE_URL: vault.url,
    STRONGROOM_ROOT_KEY: vault.rootKey,
    STRONGROOM_PUBLIC_URL: 'https://vault.example.com',
    STRONGROOM_HOST: '127.0.0.1',
    STRONGROOM_RATE_LIMITS: 'off',
    STRONGROOM_DRAIN_DELAY_SECONDS: '2',
  };
}

const seesEverything = {
  description: 'Stores and reads',
  priority: 1,
  container: '/',
  transform: 'reveal',
  permissions: ['token:create', 'token:read'],
};

async function makeBackend(name: string): Promise<Backend> {
  return { name, port: await findFreePort(), adminPort: await findFreePort() };
}
