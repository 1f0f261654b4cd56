import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { LocalRedis } from './local-redis.ts';
import { Program } from './program.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

type Role = 'serve' | 'work';

/**
 * A server, a worker and Redis, started as an operator would, on fixed ports. Each can be stopped and started again.
 */
export class MonitoredVault {
  readonly database: TestDatabase;
  readonly url: string;
  /** The addresses of the admin ports as Prometheus targets. */
  readonly addresses: Readonly<Record<Role, string>>;
  readonly managementKey: string;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #programs = new Map<Role, Program>();
  #redis: LocalRedis;

  static async start(own: Readonly<Record<string, string>> = {}): Promise<MonitoredVault> {
    const database = await createTestDatabase();
    const redis = await LocalRedis.start();
    const [port, adminPort, workerPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
    const settings = {
      STRONGROOM_DATABASE_URL: database.url,
      STRONGROOM_ROOT_KEY: generateRootKey(),
      STRONGROOM_PUBLIC_URL: 'https://vault.example.com',
      STRONGROOM_HOST: '127.0.0.1',
      STRONGROOM_PORT: String(port),
      STRONGROOM_ADMIN_PORT: String(adminPort),
      STRONGROOM_WORKER_ADMIN_PORT: String(workerPort),
      STRONGROOM_REDIS_URL: redis.url,
      STRONGROOM_RATE_LIMITS: 'global=1000000,token-write=1000000,token-list=1000000',
      ...own,
    };
    const { stdout } = await Program.run(['bootstrap', '--name', 'Acme', '--json'], settings);
    const { keys } = JSON.parse(stdout) as { keys: { management: string } };
    const vault = new MonitoredVault({ database, settings, redis, managementKey: keys.management });
    await Promise.all([vault.start('serve'), vault.start('work')]);
    return vault;
  }

  private constructor(parts: {
    database: TestDatabase;
    settings: Readonly<Record<string, string>>;
    redis: LocalRedis;
    managementKey: string;
  }) {
    this.database = parts.database;
    this.#settings = parts.settings;
    this.#redis = parts.redis;
    this.managementKey = parts.managementKey;
    this.url = `http://127.0.0.1:${parts.settings['STRONGROOM_PORT']}`;
    this.addresses = {
      serve: `127.0.0.1:${parts.settings['STRONGROOM_ADMIN_PORT']}`,
      work: `127.0.0.1:${parts.settings['STRONGROOM_WORKER_ADMIN_PORT']}`,
    };
  }

  async start(role: Role): Promise<void> {
    const program = Program.start([role, '--json'], this.#settings);
    this.#programs.set(role, program);
    await program.ready();
  }

  async stop(role: Role): Promise<void> {
    await this.#programs.get(role)?.stop();
  }

  stopRedis(): Promise<void> {
    return this.#redis.stop();
  }

  async startRedis(): Promise<void> {
    this.#redis = await LocalRedis.start(Number(new URL(this.#redis.url).port));
  }

  /** Creates an application and returns its key. */
  async createKey(application: object): Promise<string> {
    const body = { name: 'Monitored', ...application };
    const { key } = (await (await this.request('POST', '/applications', { key: this.managementKey, body })).json()) as {
      key: string;
    };
    return key;
  }

  request(
    method: string,
    path: string,
    {
      key,
      body,
      headers = {},
    }: { readonly key: string; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<Response> {
    return fetch(`${this.url}${path}`, {
      method,
      headers: { 'bt-api-key': key, ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async end(): Promise<void> {
    await Promise.all([this.stop('serve'), this.stop('work')]);
    await this.stopRedis();
    await this.database.drop();
  }
}
