import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

const channel = 'strongroom_epochs';
const applicationName = 'strongroom epochs';
const heartbeatMs = 1_000;
const reconnectMs = 250;
const queryTimeoutMs = 2_000;
/** How long a stop waits for PostgreSQL to say goodbye: a dead network never would. */
const goodbyeMs = 1_000;
const sendingMax = 64;

export interface EpochChannelEvents {
  /** Called for every connection, the first as well: others may have spoken while nobody listened. */
  onConnected(): void;
  onPayload(payload: string): void;
}

/**
 * The line between servers: LISTEN and NOTIFY on a connection of its own. What is sent while it is cut is dropped; both
 * sides tell each other what they have as soon as it is back.
 */
export class EpochChannel {
  readonly #url: string;
  readonly #events: EpochChannelEvents;
  #client: pg.Client | undefined;
  #connecting: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #sending = 0;
  #isStopped = false;

  constructor(url: string, events: EpochChannelEvents) {
    this.#url = url;
    this.#events = events;
  }

  get isConnected(): boolean {
    return this.#client !== undefined;
  }

  async start(): Promise<void> {
    await this.#connect();
    this.#schedule();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = undefined;
    const ended = client?.end().catch(() => undefined);
    await Promise.race([ended, delay(goodbyeMs, undefined, { ref: false })]);
  }

  /** One transaction for all of them: they arrive together and in order. Returns once they are on their way, or dropped. */
  async send(payloads: readonly string[]): Promise<void> {
    const client = this.#client;
    if (client === undefined || payloads.length === 0 || this.#sending >= sendingMax) return;
    this.#sending += 1;
    try {
      await client.query('select pg_notify($1, payload) from unnest($2::text[]) as payload', [channel, payloads]);
    } catch {
      // A full queue, a timeout or a broken line: connecting again ends with both sides up to date.
      this.#disconnect(client);
    } finally {
      this.#sending -= 1;
    }
  }

  /** How many other servers listen. A server that died a moment ago may be counted. */
  async countOthers(): Promise<number> {
    const counted = await this.#client
      ?.query<{ count: number }>(
        `select count(*)::integer as count from pg_stat_activity
         where datname = current_database() and application_name = $1 and pid <> pg_backend_pid()`,
        [applicationName],
      )
      .catch(() => undefined);
    return counted?.rows[0]?.count ?? 0;
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: 2_000,
      query_timeout: queryTimeoutMs,
      application_name: applicationName,
      // A notice leaves nothing behind that would have to be durable, so it waits for no disk and no standby.
      options: '-c role=strongroom_app -c synchronous_commit=off',
      keepAlive: true,
      // Messages and heartbeats go out in order without waiting for each other.
      pipeline: true,
    });
    client.on('error', () => this.#disconnect(client));
    client.on('end', () => this.#disconnect(client));
    client.on('notification', ({ payload }) => this.#events.onPayload(payload ?? ''));
    try {
      await client.connect();
      if (this.#isStopped) throw new Error('stopped while connecting');
      // Before it listens: what it hears first may already want an answer.
      this.#client = client;
      await client.query(`listen ${channel}`);
    } catch {
      // Not reachable now, or not wanted any more. The timer tries again unless it was stopped.
      this.#disconnect(client);
      return;
    }
    if (this.#client === client) this.#events.onConnected();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    const delayMs = this.#client === undefined ? reconnectMs : heartbeatMs;
    this.#timer = setTimeout(() => void this.#beat().finally(() => this.#schedule()), delayMs).unref();
  }

  async #beat(): Promise<void> {
    const client = this.#client;
    if (client === undefined) {
      this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined));
      return this.#connecting;
    }
    await client.query('select 1').catch(() => this.#disconnect(client));
  }

  #disconnect(client: pg.Client): void {
    if (this.#client === client) {
      this.#client = undefined;
      // Not with the next heartbeat: whoever waits for a key does so for a second.
      this.#schedule();
    }
    client.removeAllListeners('notification');
    client.end().catch(() => undefined);
  }
}
