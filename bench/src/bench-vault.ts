import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { generateRootKey } from '../../server/src/platform/keyring/kms/file-root-key.ts';
import { LocalPostgres } from '../../server/src/platform/local-postgres/local-postgres.ts';

const program = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url));

interface Announcement {
  readonly url: string;
  readonly keys: { readonly private: string };
}

/** A vault as in production, in processes of its own, on a PostgreSQL that keeps its promises (fsync, synchronous commit). */
export class BenchVault {
  readonly url: string;
  readonly key: string;
  readonly postgres: LocalPostgres;
  readonly #server: ChildProcess;

  /** Its limits are off, unless the environment says otherwise: everything comes from one address here. */
  static async start(environment: Readonly<Record<string, string>> = {}): Promise<BenchVault> {
    const postgres = await LocalPostgres.start({
      password: crypto.randomUUID(),
      settings: { shared_buffers: '1GB', max_wal_size: '8GB', checkpoint_timeout: '30min', track_io_timing: 'on' },
    });
    const server = spawn(process.execPath, [program, 'dev', '--port', '0', '--json'], {
      env: {
        ...process.env,
        STRONGROOM_DATABASE_URL: postgres.url,
        STRONGROOM_ROOT_KEY: generateRootKey(),
        STRONGROOM_RATE_LIMITS: 'off',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
    const { url, keys } = JSON.parse(line) as Announcement;
    return new BenchVault({ url, key: keys.private, postgres, server });
  }

  private constructor(parts: { url: string; key: string; postgres: LocalPostgres; server: ChildProcess }) {
    this.url = parts.url;
    this.key = parts.key;
    this.postgres = parts.postgres;
    this.#server = parts.server;
  }

  /** Processor time that the server has used so far, in microseconds; the database is another process. */
  async cpuMicroseconds(): Promise<number> {
    const stat = await readFile(`/proc/${this.#server.pid}/stat`, 'utf8');
    // Fields 14 and 15 of proc(5), in ticks of ten milliseconds; the name before them may hold blanks.
    const [user = 0, system = 0] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
    return (user + system) * 10_000;
  }

  async request(method: string, path: string, body?: unknown): Promise<string> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { 'bt-api-key': this.key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 300)}`);
    return text;
  }

  async stop(): Promise<void> {
    this.#server.kill('SIGTERM');
    await once(this.#server, 'exit');
    await this.postgres.stop();
  }
}
