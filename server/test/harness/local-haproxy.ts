import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { untilTrue } from './deadline.ts';
import { stopProcess } from './stop-process.ts';

export interface Backend {
  readonly name: string;
  readonly port: number;
  readonly adminPort: number;
}

/** The state that HAProxy reports about a backend: whether it receives requests, and how many of them failed. */
export interface BackendState {
  readonly isUp: boolean;
  readonly requests: number;
  /** Counts failed connections, connections that broke before a response, and 5xx responses. */
  readonly failures: number;
}

/**
 * A real HAProxy on free loopback ports. It sends requests to the servers whose /readyz reports
 * ready, and never retries.
 */
export class LocalHaproxy {
  readonly url: string;
  readonly #statsUrl: string;
  readonly #process: ChildProcess;
  readonly #directory: string;

  static async start(backends: readonly Backend[]): Promise<LocalHaproxy> {
    const directory = await mkdtemp(path.join(tmpdir(), 'strongroom-haproxy-'));
    const [port, statsPort] = [await findFreePort(), await findFreePort()];
    const file = path.join(directory, 'haproxy.cfg');
    await writeFile(file, describe(backends, { port, statsPort }));
    const child = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr.resume();
    const failed = once(child, 'error').then(([error]) => Promise.reject(error as Error));
    const haproxy = new LocalHaproxy({ port, statsPort, child, directory });
    await Promise.race([haproxy.untilUp(backends.map(({ name }) => name)), failed]);
    return haproxy;
  }

  private constructor(parts: { port: number; statsPort: number; child: ChildProcess; directory: string }) {
    this.url = `http://127.0.0.1:${parts.port}`;
    this.#statsUrl = `http://127.0.0.1:${parts.statsPort}/;csv`;
    this.#process = parts.child;
    this.#directory = parts.directory;
  }

  async states(): Promise<ReadonlyMap<string, BackendState>> {
    const [head = '', ...lines] = (await (await fetch(this.#statsUrl)).text()).trim().split('\n');
    const names = head.replace('# ', '').split(',');
    const rows = lines.map((line) => Object.fromEntries(line.split(',').map((cell, at) => [names[at], cell])));
    const sum = (...cells: (string | undefined)[]) => cells.reduce((total, cell) => total + Number(cell), 0);
    return new Map(
      rows
        .filter(({ svname = '' }) => !['FRONTEND', 'BACKEND'].includes(svname))
        .map(({ svname = '', status = '', stot, econ, eresp, hrsp_5xx }) => [
          svname,
          { isUp: status.startsWith('UP'), requests: Number(stot), failures: sum(econ, eresp, hrsp_5xx) },
        ]),
    );
  }

  async untilUp(names: readonly string[]): Promise<void> {
    const areUp = async () => {
      const states = await this.states().catch(() => undefined);
      return names.every((name) => states?.get(name)?.isUp);
    };
    await untilTrue(areUp, { waitingFor: `HAProxy to send requests to ${names.join(' and ')}` });
  }

  async stop(): Promise<void> {
    await stopProcess(this.#process, 'SIGKILL');
    await rm(this.#directory, { recursive: true, force: true });
  }
}

function describe(backends: readonly Backend[], { port, statsPort }: { port: number; statsPort: number }): string {
  return [
    'defaults',
    '  mode http',
    '  timeout connect 5s',
    '  timeout client 60s',
    '  timeout server 60s',
    // If a server loses a request, the client must notice.
    '  retries 0',
    'frontend clients',
    `  bind 127.0.0.1:${port}`,
    '  default_backend vault',
    'frontend stats',
    `  bind 127.0.0.1:${statsPort}`,
    '  stats enable',
    '  stats uri /',
    'backend vault',
    '  balance roundrobin',
    // Idle connections are reused for any client, so a server that closes them incorrectly is noticed.
    '  http-reuse always',
    // A busy machine may delay a check. A server is only considered not ready if it reports so, or after a long time
    // without a response.
    '  timeout check 10s',
    '  option httpchk GET /readyz',
    '  default-server check inter 100ms fall 3 rise 1',
    ...backends.map(({ name, port, adminPort }) => `  server ${name} 127.0.0.1:${port} port ${adminPort}`),
    '',
  ].join('\n');
}
