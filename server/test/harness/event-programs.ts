import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { setTimeout as pauseFor } from 'node:timers/promises';
import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { EventReceiver } from './event-receiver.ts';
import { Program } from './program.ts';
import { destinationHost } from './proxy-vault.ts';
import { TestAuthority } from './test-authority.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';
import { TestResolver } from './test-resolver.ts';

/** A vault whose server and workers are processes of their own, which can be killed and measured, and a receiver. */
export class EventPrograms {
  readonly receiver: EventReceiver;
  readonly database: TestDatabase;
  /** Ids of created tokens, in the order of the responses. */
  readonly stored: string[] = [];
  readonly #settings: Readonly<Record<string, string>>;
  readonly #resolver: TestResolver;
  readonly #authority: TestAuthority;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 32 });
  #server: Program | undefined;
  readonly #workers: { readonly program: Program; readonly pid: number }[] = [];
  #keys = { management: '', private: '' };

  static async start({ workers = 1 } = {}): Promise<EventPrograms> {
    const [database, authority, resolver] = await Promise.all([
      createTestDatabase(),
      TestAuthority.create(),
      TestResolver.start(),
    ]);
    resolver.set(destinationHost, ['127.0.0.1']);
    const receiver = await EventReceiver.start(await authority.issue([destinationHost]));
    const settings = {
      STRONGROOM_DATABASE_URL: database.url,
      STRONGROOM_ROOT_KEY: generateRootKey(),
      STRONGROOM_PUBLIC_URL: 'https://vault.example.com',
      STRONGROOM_HOST: '127.0.0.1',
      STRONGROOM_PORT: String(await findFreePort()),
      STRONGROOM_ADMIN_PORT: '0',
      STRONGROOM_WORKER_ADMIN_PORT: '0',
      STRONGROOM_LOG_LEVEL: 'error',
      STRONGROOM_RATE_LIMITS: 'off',
      STRONGROOM_PROXY_CA: authority.certificate,
      STRONGROOM_PROXY_PRIVATE_RANGES: '127.0.0.0/8',
      STRONGROOM_PROXY_PORTS: String(receiver.port),
      STRONGROOM_PROXY_RESOLVERS: resolver.address,
    };
    const programs = new EventPrograms({ database, authority, resolver, receiver, settings });
    await programs.#prepare();
    for (let count = 0; count < workers; count += 1) await programs.startWorker();
    return programs;
  }

  private constructor(parts: {
    database: TestDatabase;
    authority: TestAuthority;
    resolver: TestResolver;
    receiver: EventReceiver;
    settings: Readonly<Record<string, string>>;
  }) {
    this.database = parts.database;
    this.receiver = parts.receiver;
    this.#authority = parts.authority;
    this.#resolver = parts.resolver;
    this.#settings = parts.settings;
  }

  /** The address of the receiver. */
  get url(): string {
    return `https://${destinationHost}:${this.receiver.port}`;
  }

  async startServer(): Promise<void> {
    this.#server = Program.start(['serve', '--json'], this.#settings);
    await this.#server.ready();
  }

  async killServer(): Promise<void> {
    await this.#server?.stop('SIGKILL');
  }

  async startWorker(): Promise<void> {
    const program = Program.start(['work', '--json'], this.#settings);
    await program.ready();
    this.#workers.push({ program, pid: program.pid });
  }

  /** Kills the worker that has been running for longest. */
  async killWorker(): Promise<void> {
    await this.#workers.shift()?.program.stop('SIGKILL');
  }

  /** Returns the most memory that any running worker has had in use at once, in bytes. */
  async workerBytes(): Promise<number> {
    const peaks = await Promise.all(
      this.#workers.map(async ({ pid }) => {
        const [, kilobytes = '0'] = /^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
        return Number(kilobytes) * 1_024;
      }),
    );
    return Math.max(...peaks);
  }

  manage(method: string, path: string, body?: unknown) {
    return this.#send(method, path, { key: this.#keys.management, body });
  }

  /** Creates a webhook and returns its id. */
  async subscribe(settings: Readonly<Record<string, unknown>>): Promise<string> {
    const body = { name: 'Receiver', events: ['token.created'], ...settings };
    const { status, text } = await this.manage('POST', '/webhooks', body);
    if (status !== 201) throw new Error(`No webhook was made: ${text}`);
    return (JSON.parse(text) as { id: string }).id;
  }

  /** Stores a token. Returns false if the server did not acknowledge it. */
  async store(): Promise<boolean> {
    try {
      const body = { type: 'token', data: crypto.randomUUID() };
      const { status, text } = await this.#send('POST', '/tokens', { key: this.#keys.private, body });
      if (status !== 201) return false;
      this.stored.push((JSON.parse(text) as { id: string }).id);
      return true;
    } catch {
      return false;
    }
  }

  /** Stores tokens at a steady rate. Returns how many were acknowledged. */
  async storeSteadily({ rate, seconds }: { readonly rate: number; readonly seconds: number }): Promise<number> {
    const startedAt = performance.now();
    const requests: Promise<boolean>[] = [];
    while (requests.length < rate * seconds) {
      const due = Math.min(rate * seconds, ((performance.now() - startedAt) / 1_000) * rate);
      while (requests.length < due) requests.push(this.store());
      await pauseFor(10);
    }
    return (await Promise.all(requests)).filter((isStored) => isStored).length;
  }

  /** Makes every waiting delivery due, as if its delay had passed. */
  async passTime(): Promise<void> {
    const { owner } = this.database;
    await owner.query(`update webhook_deliveries set next_at = now() where status = 'waiting' and next_at > now()`);
    await owner.query('update webhook_positions set resume_at = null where resume_at is not null');
    await owner.query('select wake_webhooks(array_agg(tenant_id), array_agg(id), 0) from webhooks having count(*) > 0');
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    await Promise.all(this.#workers.map(({ program }) => program.stop('SIGKILL')));
    await this.#server?.stop('SIGKILL');
    await Promise.all([this.receiver.stop(), this.#resolver.stop(), this.#authority.remove()]);
    await this.database.drop();
  }

  async #prepare(): Promise<void> {
    const { stdout } = await Program.run(['bootstrap', '--name', 'Acme', '--json'], this.#settings);
    const { keys } = JSON.parse(stdout) as { keys: { management: string } };
    await this.startServer();
    this.#keys.management = keys.management;
    const { text } = await this.manage('POST', '/applications', {
      name: 'Load',
      type: 'private',
      permissions: ['token:create', 'token:read'],
    });
    this.#keys.private = (JSON.parse(text) as { key: string }).key;
  }

  #send(
    method: string,
    path: string,
    { key, body }: { readonly key: string; readonly body: unknown },
  ): Promise<{ readonly status: number; readonly text: string }> {
    const url = `http://127.0.0.1:${this.#settings['STRONGROOM_PORT']}${path}`;
    const headers = { 'bt-api-key': key, 'content-type': 'application/json' };
    return new Promise((resolve, reject) => {
      const sent = request(url, { method, headers, agent: this.#agent }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.once('error', reject);
        response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
      });
      sent.once('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}
