import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { findProcessOwner } from '../../src/platform/local-postgres/postgres-binaries.ts';
import { untilTrue } from './deadline.ts';
import { stopProcess } from './stop-process.ts';

/** A real PgBouncer on a free loopback port, in front of the server at the given address. */
export class LocalPgbouncer {
  readonly #port: number;
  readonly #process: ChildProcess;
  readonly #directory: string;

  /** Starts a pooler that ignores start-up options, the usual setup for clients that send them. */
  static async start(
    target: string,
    poolMode: 'session' | 'transaction' | 'statement',
    settings: Readonly<Record<string, string>> = {},
  ): Promise<LocalPgbouncer> {
    const { hostname, port: targetPort, username, password } = new URL(target);
    const directory = await mkdtemp(path.join(tmpdir(), 'strongroom-pgbouncer-'));
    const port = await findFreePort();
    const all = {
      listen_addr: '127.0.0.1',
      listen_port: String(port),
      unix_socket_dir: '',
      auth_type: 'any',
      pool_mode: poolMode,
      ignore_startup_parameters: 'options,extra_float_digits',
      ...settings,
    };
    const file = path.join(directory, 'pgbouncer.ini');
    await writeFile(
      file,
      [
        '[databases]',
        `* = host=${hostname} port=${targetPort} user=${username} password=${decodeURIComponent(password)}`,
        '[pgbouncer]',
        ...Object.entries(all).map(([name, value]) => `${name} = ${value}`),
        '',
      ].join('\n'),
    );
    const owner = await findProcessOwner();
    if (owner !== undefined) {
      await chmod(directory, 0o711);
      await chown(file, owner.uid, owner.gid);
    }
    const child = spawn('pgbouncer', ['--quiet', file], { ...owner, cwd: directory, stdio: 'ignore' });
    const started = new LocalPgbouncer(port, child, directory);
    await untilTrue(() => isListening(port), { waitingFor: 'PgBouncer' });
    return started;
  }

  private constructor(port: number, child: ChildProcess, directory: string) {
    this.#port = port;
    this.#process = child;
    this.#directory = directory;
  }

  /** Returns the address of the same database through the pooler. */
  urlOf(address: string): string {
    const url = new URL(address);
    url.hostname = '127.0.0.1';
    url.port = String(this.#port);
    return url.href;
  }

  async stop(): Promise<void> {
    await stopProcess(this.#process);
    await rm(this.#directory, { recursive: true, force: true });
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
