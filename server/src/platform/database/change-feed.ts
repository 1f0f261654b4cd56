import pg from 'pg';

const channel = 'strongroom_changes';
export const feedName = 'strongroom changes';
const heartbeatMs = 300;
/** Past this age of the last heartbeat nothing in memory is believed: together with the heartbeat well under a second. */
const trustMs = 600;
const reconnectMs = 250;

export type ChangedTable = 'application_keys' | 'applications' | 'sessions' | 'tenants' | 'tenant_keys';
export type ChangeListener = (table: ChangedTable, id: string) => void;

/**
 * Tells this process what other processes changed. PostgreSQL delivers a notice with the commit that causes it; a
 * heartbeat on the same connection proves that notices still arrive. While it does not, `isCurrent` is false and
 * caches ask the database instead.
 */
export class ChangeFeed {
  readonly #url: string;
  readonly #name: string;
  readonly #listeners = new Set<ChangeListener>();
  readonly #lostListeners = new Set<() => void>();
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #heardAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  /** What the connection is called in the database says something about this process to others, such as its root keys. */
  constructor(url: string, mark: string) {
    this.#url = url;
    this.#name = `${feedName} ${mark}`;
  }

  onChange(listener: ChangeListener): void {
    this.#listeners.add(listener);
  }

  /** Called when notices may have been missed: whatever was cached has to go. */
  onGap(listener: () => void): void {
    this.#lostListeners.add(listener);
  }

  get isCurrent(): boolean {
    return performance.now() - this.#heardAt < trustMs;
  }

  async start(): Promise<void> {
    await this.#connect().catch(() => undefined);
    this.#schedule();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#client?.end().catch(() => undefined);
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: 2_000,
      query_timeout: trustMs,
      application_name: this.#name,
      options: '-c role=strongroom_app',
      keepAlive: true,
    });
    client.on('error', () => this.#disconnect(client));
    client.on('notification', ({ payload }) => this.#deliver(payload ?? ''));
    await client.connect();
    await client.query(`listen ${channel}`);
    for (const listener of this.#lostListeners) listener();
    this.#client = client;
    this.#heardAt = performance.now();
  }

  #deliver(payload: string): void {
    const [table, id] = payload.split(' ');
    if (table === undefined || id === undefined) return;
    for (const listener of this.#listeners) listener(table as ChangedTable, id);
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(
      () => void this.#beat().finally(() => this.#schedule()),
      this.#client ? heartbeatMs : reconnectMs,
    );
    this.#timer.unref();
  }

  async #beat(): Promise<void> {
    const client = this.#client;
    if (client === undefined) {
      await this.#connect().catch(() => undefined);
      return;
    }
    const startedAt = performance.now();
    try {
      await client.query('select 1');
      this.#heardAt = startedAt;
    } catch {
      this.#disconnect(client);
    }
  }

  #disconnect(client: pg.Client): void {
    if (this.#client === client) this.#client = undefined;
    this.#heardAt = Number.NEGATIVE_INFINITY;
    client.end().catch(() => undefined);
  }
}
