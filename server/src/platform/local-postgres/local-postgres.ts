import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from './free-port.ts';
import {
  findPostgresBinaries,
  findProcessOwner,
  localeFlagsOn,
  type PostgresBinaries,
  type ProcessOwner,
} from './postgres-binaries.ts';
import { untilReady, untilReleased } from './postmaster-file.ts';
import { Watchdog } from './watchdog.ts';

const run = promisify(execFile);
const startTimeoutSeconds = 60;
const sessionsEndMs = 1_000;

export interface LocalPostgresOptions {
  readonly password: string;
  /**
   * The folder for the data, which is kept after stopping. By default, the data is in a temporary folder that is
   * deleted when the server stops.
   */
  readonly dataDirectory?: string;
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * A real PostgreSQL on a free loopback port, owned by this process, for `strongroom dev` and for tests. If this process
 * ends for any reason, the server stops and its temporary data is removed.
 */
export class LocalPostgres {
  readonly url: string;
  readonly version: string;
  readonly dataDirectory: string;
  readonly binaryDirectory: string;
  readonly #server: ChildProcess;
  readonly #discard: () => Promise<void>;

  static async start(options: LocalPostgresOptions): Promise<LocalPostgres> {
    const owner = await findProcessOwner();
    const binaries = await findPostgresBinaries(owner);
    const root = options.dataDirectory ?? (await makeTemporaryDirectory());
    const cluster = path.join(root, 'postgres');
    const temporary = options.dataDirectory === undefined ? root : undefined;
    const watchdog = Watchdog.start({ cluster, temporary });
    const discard = async () => {
      if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
      await watchdog.finish();
    };

    try {
      if (!(await exists(path.join(cluster, 'PG_VERSION')))) {
        await initialise({ root, cluster, owner, binaries, watchdog, password: options.password });
      }
      await untilReleased(cluster);
      const port = await findFreePort();
      const server = await launch({ cluster, owner, binaries, watchdog, port, settings: options.settings ?? {} });
      const url = `postgresql://postgres:${encodeURIComponent(options.password)}@127.0.0.1:${port}/postgres`;
      return new LocalPostgres({ url, server, discard, cluster, binaries });
    } catch (error) {
      await discard();
      throw error;
    }
  }

  private constructor(parts: {
    url: string;
    server: ChildProcess;
    discard: () => Promise<void>;
    cluster: string;
    binaries: PostgresBinaries;
  }) {
    this.url = parts.url;
    this.version = parts.binaries.version;
    this.dataDirectory = parts.cluster;
    this.binaryDirectory = parts.binaries.directory;
    this.#server = parts.server;
    this.#discard = parts.discard;
  }

  /** Returns the address of another database in the same server. */
  urlOf(database: string): string {
    const url = new URL(this.url);
    url.pathname = `/${database}`;
    return url.href;
  }

  async stop(): Promise<void> {
    if (this.#server.exitCode === null && this.#server.signalCode === null) {
      const exited = new Promise((resolve) => this.#server.once('exit', resolve));
      // SIGTERM waits for sessions that are being closed, so that their owners do not see an error. SIGINT then
      // terminates the remaining sessions. Both shut the server down cleanly.
      this.#server.kill('SIGTERM');
      const impatience = setTimeout(() => this.#server.kill('SIGINT'), sessionsEndMs);
      await exited;
      clearTimeout(impatience);
    }
    await this.#discard();
  }
}

interface Cluster {
  readonly cluster: string;
  readonly owner: ProcessOwner | undefined;
  readonly binaries: PostgresBinaries;
  readonly watchdog: Watchdog;
}

async function initialise(target: Cluster & { root: string; password: string }): Promise<void> {
  const { root, cluster, owner, binaries, watchdog, password } = target;
  await mkdir(root, { recursive: true });
  await mkdir(cluster, { recursive: true, mode: 0o700 });
  // Ownership is changed only for files created here, because the folder that contains them may belong to the operator.
  if (owner !== undefined) await chown(cluster, owner.uid, owner.gid);
  const passwordFile = path.join(root, 'initial-password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (owner !== undefined) await chown(passwordFile, owner.uid, owner.gid);

  const flags = [
    '-U',
    'postgres',
    '-A',
    'scram-sha-256',
    ...localeFlagsOn(process.platform),
    '-E',
    'UTF8',
    '--no-instructions',
  ];
  const program = path.join(binaries.directory, 'initdb');
  const working = run(program, ['-D', cluster, `--pwfile=${passwordFile}`, ...flags], {
    ...owner,
    cwd: cluster,
    timeout: startTimeoutSeconds * 1_000,
  });
  watchdog.started(working.child.pid);
  await working.finally(() => watchdog.ended());
  await rm(passwordFile);
}

async function launch(
  target: Cluster & { port: number; settings: Readonly<Record<string, string>> },
): Promise<ChildProcess> {
  const { cluster, owner, binaries, watchdog, port, settings } = target;
  const all = {
    listen_addresses: '127.0.0.1',
    // Socket files are not used, because the length of their path is limited.
    unix_socket_directories: '',
    log_min_messages: 'warning',
    ...settings,
  };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(path.join(binaries.directory, 'postgres'), ['-D', cluster, '-p', String(port), ...flags], {
    ...owner,
    cwd: cluster,
    stdio: ['ignore', 'ignore', 'pipe'],
    // Ctrl-C in a terminal must not reach the server directly. This process drains first, and then stops the server.
    detached: true,
  });

  watchdog.started(server.pid);
  server.once('exit', () => watchdog.ended());

  let complaint = '';
  server.stderr?.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-2_000);
  });
  await untilReady({ server, cluster, timeoutSeconds: startTimeoutSeconds }, () => complaint);
  return server;
}

/**
 * Creates a temporary folder. Others may traverse it but not list it, because the server runs as another user if this
 * process runs as root.
 */
async function makeTemporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'strongroom-postgres-'));
  await chmod(directory, 0o711);
  return directory;
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
