import { VaultWorker, type WorkerTiming } from '../../src/app/serve/vault-worker.ts';
import { defaultThresholds } from '../../src/platform/audit/watch/alert-rule.ts';
import type { StreamConfig } from '../../src/platform/config/log-stream-config.ts';
import { jobPace } from '../../src/platform/jobs/job-runner.ts';
import type { SmtpConfig } from '../../src/platform/mail/smtp-config.ts';
import type { LogFields } from '../../src/platform/telemetry/logger.ts';
import { EventReceiver } from './event-receiver.ts';
import { destinationHost, ProxyVault, type ProxyVaultOptions } from './proxy-vault.ts';
import type { TestResponse, TestTenant } from './test-vault.ts';

export interface EventVaultOptions extends ProxyVaultOptions {
  readonly smtp?: SmtpConfig;
  readonly timing?: WorkerTiming;
  /** False for a vault without a worker, which a test starts itself. */
  readonly hasWorker?: boolean;
}

/** Everything is looked for more often than in production, so that tests do not wait. */
const quickTiming: WorkerTiming = {
  webhookPace: { lingerMs: 500, sliceMs: 60_000 },
  streamPace: { lingerMs: 500, sliceMs: 60_000 },
  jobPace: { ...jobPace, pollSeconds: 0.5, watchSeconds: 1 },
};

/** A vault with a worker, and a receiver that its endpoints can be at. */
export class EventVault {
  readonly proxy: ProxyVault;
  readonly receiver: EventReceiver;
  readonly workerLines: string[] = [];
  readonly #options: EventVaultOptions;
  #worker: VaultWorker | undefined;

  static async start(options: EventVaultOptions = {}): Promise<EventVault> {
    const { smtp: _smtp, timing: _timing, hasWorker = true, ...proxyOptions } = options;
    const found: { receiver?: EventReceiver } = {};
    const proxy = await ProxyVault.start({
      ...proxyOptions,
      prepare: async (authority) => {
        found.receiver = await EventReceiver.start(await authority.issue([destinationHost]));
        return { ports: [found.receiver.port], ...(await proxyOptions.prepare?.(authority)) };
      },
    });
    if (found.receiver === undefined) throw new Error('The receiver was not started.');
    const events = new EventVault(proxy, found.receiver, options);
    if (hasWorker) await events.startWorker();
    return events;
  }

  private constructor(proxy: ProxyVault, receiver: EventReceiver, options: EventVaultOptions) {
    this.proxy = proxy;
    this.receiver = receiver;
    this.#options = options;
  }

  get vault() {
    return this.proxy.vault;
  }

  get tenant(): TestTenant {
    return this.proxy.tenant;
  }

  /** The address of the receiver. */
  get url(): string {
    return `https://${destinationHost}:${this.receiver.port}`;
  }

  /** Starts a worker, with these log streams. */
  async startWorker(logStreams: readonly StreamConfig[] = []): Promise<VaultWorker> {
    const keep = (message: string, fields?: LogFields) =>
      void this.workerLines.push(JSON.stringify({ message, ...fields }));
    this.#worker = await VaultWorker.start(
      {
        ...this.vault.config,
        audit: {
          retentionMonths: 13,
          anchorFile: undefined,
          anchorUrl: undefined,
          backupDays: undefined,
          archive: undefined,
          evidenceMonths: undefined,
          alerts: defaultThresholds,
        },
        logStreams,
        admin: { host: '127.0.0.1', port: 0 },
        mail: { publicUrl: 'https://vault.example.com', smtp: this.#options.smtp },
        traces: undefined,
        outbound: this.vault.outbound,
      },
      { info: keep, warn: keep, error: keep },
      { ...quickTiming, ...this.#options.timing },
    );
    return this.#worker;
  }

  /** The address of the worker's metrics. */
  get adminUrl(): string {
    return this.#worker?.adminUrl ?? '';
  }

  async stopWorker(): Promise<void> {
    await this.#worker?.stop();
    this.#worker = undefined;
  }

  /** Creates a webhook and returns it with its secret. */
  async subscribe(
    settings: Readonly<Record<string, unknown>> = {},
    key = this.tenant.keys.management,
  ): Promise<{ readonly id: string; readonly signing_secret: string }> {
    const body = { name: 'Receiver', url: `${this.url}/`, events: ['token.created'], ...settings };
    const response = await this.vault.request('POST', '/webhooks', { key, body });
    if (response.status !== 201) throw new Error(`No webhook was made: ${response.text}`);
    return response.body as { id: string; signing_secret: string };
  }

  manage(method: string, path: string, body?: unknown): Promise<TestResponse> {
    return this.vault.request(method, path, {
      key: this.tenant.keys.management,
      ...(body === undefined ? {} : { body }),
    });
  }

  /** Makes every waiting delivery due, as if its delay had passed. */
  async passTime(webhookId: string): Promise<void> {
    const { owner } = this.vault.database;
    await owner.query(
      `update webhook_deliveries set next_at = now() where webhook_id = $1 and status = 'waiting' and next_at is not null`,
      [webhookId],
    );
    await owner.query('update webhook_positions set resume_at = null where webhook_id = $1', [webhookId]);
    await owner.query(
      `select wake_webhooks(array_agg(tenant_id), array_agg(id), 0) from webhooks where id = $1 having count(*) > 0`,
      [webhookId],
    );
  }

  async stop(): Promise<void> {
    await this.stopWorker();
    await this.proxy.stop();
    await this.receiver.stop();
  }
}
