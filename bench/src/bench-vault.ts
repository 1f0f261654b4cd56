import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
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

  static async start(settings: Readonly<Record<string, string>> = {}): Promise<BenchVault> {
    const postgres = await LocalPostgres.start({
      password: crypto.randomUUID(),
      settings: { shared_buffers: '1GB', max_wal_size: '8GB', checkpoint_timeout: '30min', track_io_timing: 'on' },
    });
    const server = spawn(process.execPath, [program, 'dev', '--port', '0', '--json'], {
      env: {
        ...process.env,
        STRONGROOM_DATABASE_URL: postgres.url,
        STRONGROOM_ROOT_KEY: generateRootKey(),
        ...settings,
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
