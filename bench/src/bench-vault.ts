import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { generateRootKey } from '../../server/src/platform/keyring/kms/file-root-key.ts';
import { LocalPostgres } from '../../server/src/platform/local-postgres/local-postgres.ts';

const program = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url));
const run = promisify(execFile);

interface Keys {
  readonly private: string;
  readonly management: string;
}

/** A vault as in production, in processes of its own, on a PostgreSQL that keeps its promises (fsync, synchronous commit). */
export class BenchVault {
  readonly url: string;
  readonly key: string;
  readonly managementKey: string;
  readonly postgres: LocalPostgres;
  /** For another process of the same vault. */
  readonly settings: Readonly<Record<string, string>>;
  readonly #server: ChildProcess;

  /** `together`: server and worker in one process. `apart`: a server alone, to which the caller may add workers. */
  static async start(
    kind: 'together' | 'apart' = 'together',
    more: Readonly<Record<string, string>> = {},
  ): Promise<BenchVault> {
    const postgres = await LocalPostgres.start({
      password: crypto.randomUUID(),
      settings: { shared_buffers: '1GB', max_wal_size: '8GB', checkpoint_timeout: '30min', track_io_timing: 'on' },
    });
    const settings = {
      STRONGROOM_DATABASE_URL: postgres.url,
      STRONGROOM_ROOT_KEY: generateRootKey(),
      STRONGROOM_PUBLIC_URL: 'http://localhost',
      STRONGROOM_HOST: '127.0.0.1',
      STRONGROOM_PORT: '0',
      STRONGROOM_ADMIN_PORT: '0',
      STRONGROOM_LOG_LEVEL: 'warn',
      // Everything comes from one address here.
      STRONGROOM_RATE_LIMITS: 'off',
      ...more,
    };
    const environment = { ...process.env, ...settings };
    if (kind === 'together') {
      const { server, announced } = await start(['dev', '--port', '0', '--json'], environment);
      const { url, keys } = announced as { url: string; keys: Keys };
      return new BenchVault({ url, keys, postgres, settings, server });
    }
    await run(process.execPath, [program, 'migrate'], { env: environment });
    const { stdout } = await run(process.execPath, [program, 'bootstrap', '--name', 'Bench', '--json'], {
      env: environment,
    });
    const { keys } = JSON.parse(stdout) as { keys: { management: string } };
    const { server, announced } = await start(['serve', '--json'], environment);
    const { url } = announced as { url: string };
    const privateKey = await makePrivateKey(url, keys.management);
    return new BenchVault({ url, keys: { ...keys, private: privateKey }, postgres, settings, server });
  }

  private constructor(parts: {
    url: string;
    keys: Keys;
    postgres: LocalPostgres;
    settings: Record<string, string>;
    server: ChildProcess;
  }) {
    this.url = parts.url;
    this.key = parts.keys.private;
    this.managementKey = parts.keys.management;
    this.postgres = parts.postgres;
    this.settings = parts.settings;
    this.#server = parts.server;
  }

  /** Processor time that the server has used so far, in microseconds; the database is another process. */
  async cpuMicroseconds(): Promise<number> {
    const stat = await readFile(`/proc/${this.#server.pid}/stat`, 'utf8');
    // Fields 14 and 15 of proc(5), in ticks of ten milliseconds; the name before them may hold blanks.
    const [user = 0, system = 0] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
    return (user + system) * 10_000;
  }

  async request(method: string, path: string, body?: unknown, key = this.key): Promise<string> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { 'bt-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
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

async function start(
  command: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ server: ChildProcess; announced: unknown }> {
  const server = spawn(process.execPath, [program, ...command], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
  return { server, announced: JSON.parse(line) };
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
