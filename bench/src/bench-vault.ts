import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type pg from 'pg';
import { generateRootKey } from '../../server/src/platform/keyring/kms/file/file-root-key.ts';
import { LocalPostgres } from '../../server/src/platform/local-postgres/local-postgres.ts';
import { BenchProcess, program } from './bench-process.ts';
import { withClient } from './with-client.ts';

const run = promisify(execFile);
/** Limits that are counted but too high to be reached, because all requests come from one address here. */
const limitsRaised = ['global', 'token-write', 'token-list', 'token-search']
  .map((scope) => `${scope}=999999999`)
  .join(',');

interface Keys {
  readonly private: string;
  readonly management: string;
}

/**
 * A vault set up as in production. It runs in its own processes, on a durable PostgreSQL (fsync, synchronous commit).
 */
export class BenchVault {
  readonly key: string;
  readonly managementKey: string;
  readonly postgres: LocalPostgres;
  readonly #directory: string;
  /** The server's settings, for code that accesses the database as a server does. */
  readonly settings: Readonly<Record<string, string>>;
  #servers: BenchProcess[] = [];
  readonly #workers: BenchProcess[] = [];

  /**
   * Starts a vault. `together` runs server and worker in one process. `apart` runs only a server, and the caller may
   * add workers.
   */
  static async start(
    kind: 'together' | 'apart' = 'together',
    more: Readonly<Record<string, string>> = {},
    postgresSettings: Readonly<Record<string, string>> = {},
  ): Promise<BenchVault> {
    const directory = await mkdtemp(path.join(tmpdir(), 'strongroom-bench-'));
    const postgres = await LocalPostgres.start({
      password: crypto.randomUUID(),
      settings: {
        shared_buffers: '1GB',
        max_wal_size: '8GB',
        checkpoint_timeout: '30min',
        track_io_timing: 'on',
        ...postgresSettings,
      },
    });
    const settings = {
      STRONGROOM_DATABASE_URL: postgres.url,
      STRONGROOM_ROOT_KEY: generateRootKey(),
      STRONGROOM_PUBLIC_URL: 'http://localhost',
      STRONGROOM_HOST: '127.0.0.1',
      STRONGROOM_PORT: '0',
      STRONGROOM_ADMIN_PORT: '0',
      STRONGROOM_WORKER_ADMIN_PORT: '0',
      STRONGROOM_RATE_LIMITS: limitsRaised,
      STRONGROOM_DRAIN_DELAY_SECONDS: '0',
      ...more,
    };
    const parts = { directory, postgres, settings };
    if (kind === 'together') {
      const command = ['dev', '--port', '0', '--json', '--use-database', 'postgres'];
      const server = await BenchProcess.start(command, settings, logIn(directory));
      return new BenchVault({ ...parts, keys: (server.announced as { keys: Keys }).keys, server });
    }
    const env = { ...process.env, ...settings };
    await run(process.execPath, [program, 'migrate'], { env });
    const { stdout } = await run(process.execPath, [program, 'bootstrap', '--name', 'Bench', '--json'], { env });
    const { management } = (JSON.parse(stdout) as { keys: { management: string } }).keys;
    const server = await BenchProcess.start(['serve', '--json'], settings, logIn(directory));
    const keys = { management, private: await makePrivateKey(urlOf(server), management) };
    return new BenchVault({ ...parts, keys, server });
  }

  private constructor(parts: {
    directory: string;
    postgres: LocalPostgres;
    settings: Record<string, string>;
    keys: Keys;
    server: BenchProcess;
  }) {
    this.#directory = parts.directory;
    this.postgres = parts.postgres;
    this.settings = parts.settings;
    this.key = parts.keys.private;
    this.managementKey = parts.keys.management;
    this.#servers = [parts.server];
  }

  get url(): string {
    return this.urls[0] ?? '';
  }

  get urls(): string[] {
    return this.#servers.map(urlOf);
  }

  async startServer(): Promise<void> {
    this.#servers.push(await BenchProcess.start(['serve', '--json'], this.settings, logIn(this.#directory)));
  }

  async stopServers(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()));
    this.#servers = [];
  }

  async startWorker(): Promise<BenchProcess> {
    const worker = await BenchProcess.start(['work', '--json'], this.settings, logIn(this.#directory));
    this.#workers.push(worker);
    return worker;
  }

  /** Runs a command of the product until it exits or is cancelled. */
  async run(command: readonly string[], signal?: AbortSignal): Promise<void> {
    const env = { ...process.env, ...this.settings };
    await run(process.execPath, [program, ...command], { env, ...(signal === undefined ? {} : { signal }) });
  }

  /** Returns the processor time that the servers have used so far, in microseconds. */
  async cpuMicroseconds(): Promise<number> {
    const used = await Promise.all(this.#servers.map((server) => server.cpuMicroseconds()));
    return used.reduce((sum, one) => sum + one, 0);
  }

  /** Returns the resident memory of the first server. */
  async residentBytes(): Promise<number> {
    return (await this.#servers[0]?.residentBytes()) ?? Number.NaN;
  }

  /** Returns everything that all processes have logged so far. */
  log(): Promise<string> {
    return readFile(logIn(this.#directory), 'utf8');
  }

  async request(method: string, target: string, body?: unknown, key = this.key): Promise<string> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const response = await fetch(`${this.url}${target}`, {
      method,
      headers: { 'bt-api-key': key, ...(body === undefined ? {} : { 'content-type': type }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${target} answered ${response.status}: ${text.slice(0, 300)}`);
    return text;
  }

  /** Connects to the database directly, as the owner of the tables. */
  withDatabase<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    return withClient(this.postgres.url, work);
  }

  /** Runs the maintenance that autovacuum would have done while a vault grew to this size. */
  settle(): Promise<void> {
    return this.withDatabase(async (client) => {
      await client.query('vacuum analyze');
      await client.query('checkpoint');
    });
  }

  /** Reads all tables and indexes once to load as much of them into memory as fits. Returns their size in bytes. */
  readAll(): Promise<number> {
    return this.withDatabase(async (client) => {
      await client.query('create extension if not exists pg_prewarm');
      const { rows } = await client.query<{ bytes: string }>(
        `select sum(pg_prewarm(oid, 'read') * current_setting('block_size')::bigint) as bytes
          from pg_class where relkind in ('r', 'i', 't') and relpersistence = 'p'`,
      );
      return Number(rows[0]?.bytes);
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()));
    await this.stopServers();
    await this.postgres.stop();
    await rm(this.#directory, { recursive: true, force: true });
  }
}

function logIn(directory: string): string {
  return path.join(directory, 'log');
}

function urlOf(server: BenchProcess): string {
  return (server.announced as { url: string }).url;
}

async function makePrivateKey(url: string, managementKey: string): Promise<string> {
  const response = await fetch(`${url}/applications`, {
    method: 'POST',
    headers: { 'bt-api-key': managementKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'Bench',
      type: 'private',
      permissions: ['token:create', 'token:read', 'token:update', 'token:delete', 'token:search', 'token:use'],
    }),
  });
  const { key } = (await response.json()) as { key: string };
  return key;
}
