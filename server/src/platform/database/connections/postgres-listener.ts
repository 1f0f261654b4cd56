import pg from 'pg';
import { withinTime } from '../../waiting/within-time.ts';
import { withoutApplicationName } from './connection-address.ts';
import { ConnectionOrigin } from './connection-origin.ts';
import { applicationRole, requireOwnSession, sessionOptions } from './session-check.ts';

const reconnectMs = 250;
const connectTimeoutMs = 2_000;
/**
 * The time to wait for PostgreSQL to close the connection when stopping. If the network is dead, it would never do so.
 */
const goodbyeMs = 1_000;
/** The prefix of heartbeat payloads. A listener sends them to verify that it receives notifications. */
const pulse = 'pulse ';

export interface ListenerOptions {
  readonly url: string;
  readonly channel: string;
  readonly applicationName: string;
  readonly heartbeatMs: number;
  /** The time limit for a statement or a heartbeat, in milliseconds. If one takes longer, the connection is closed. */
  readonly patienceMs: number;
  /** Shared with other connections of this process to the same address. */
  readonly origin?: ConnectionOrigin | undefined;
}

export interface ListenerEvents {
  /** Called for every connection, including the first. Notifications may have been missed before that. */
  onConnected(): void;
  /** Called when an open connection is lost. */
  onLost?(): void;
  onPayload(payload: string): void;
}

/**
 * Uses LISTEN and NOTIFY on a dedicated connection, which is replaced if it breaks. The heartbeat is a notification
 * that the listener sends to itself, because a connection can respond to every query without delivering notifications,
 * for example through a pooler.
 */
export class PostgresListener {
  readonly #options: ListenerOptions;
  readonly #events: ListenerEvents;
  #client: pg.Client | undefined;
  readonly #origin: ConnectionOrigin;
  /** The generation of the origin that the open connection belongs to. */
  #generation = 0;
  #connecting: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #awaited: { readonly payload: string; readonly hear: () => void } | undefined;
  #heardAt = Number.NEGATIVE_INFINITY;
  #lastHeardAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  constructor(options: ListenerOptions, events: ListenerEvents) {
    this.#options = options;
    this.#events = events;
    this.#origin = options.origin ?? new ConnectionOrigin();
    this.#origin.onChange(() => this.#leaveReplaced());
  }

  /** The open connection, if there is one. It may not be listening yet. */
  get client(): pg.Client | undefined {
    return this.#client;
  }

  /** The time, by `performance.now()`, at which the last heartbeat received on this connection was sent. */
  get heardAt(): number {
    return this.#heardAt;
  }

  /** The same as `heardAt`, but across all connections. It is not reset when a connection breaks. */
  get lastHeardAt(): number {
    return this.#lastHeardAt;
  }

  async start(): Promise<void> {
    await this.#beat();
    this.#schedule();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = undefined;
    this.#heardAt = Number.NEGATIVE_INFINITY;
    const ended = Promise.allSettled([client?.end(), this.#connecting]);
    await withinTime(ended, goodbyeMs, 'PostgreSQL did not close the connection in time.').catch(() => undefined);
  }

  /** Closes a failed connection. A new one is opened immediately. */
  disconnect(client: pg.Client): void {
    client.removeAllListeners('notification');
    client.end().catch(() => undefined);
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#heardAt = Number.NEGATIVE_INFINITY;
    this.#events.onLost?.();
    // The new connection is opened without waiting for the next heartbeat, because callers may be waiting for messages.
    this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    const delayMs = this.#client === undefined ? reconnectMs : this.#options.heartbeatMs;
    this.#timer = setTimeout(() => void this.#beat().finally(() => this.#schedule()), delayMs).unref();
  }

  async #beat(): Promise<void> {
    const client = this.#client;
    if (client === undefined) {
      this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined));
      return this.#connecting;
    }
    await this.#prove(client).catch(() => this.disconnect(client));
  }

  async #connect(): Promise<void> {
    const { url, channel, applicationName, patienceMs } = this.#options;
    const session = { role: applicationRole, statementTimeoutMs: patienceMs, idleTimeoutMs: patienceMs };
    const client = new pg.Client({
      connectionString: withoutApplicationName(url),
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: patienceMs,
      application_name: applicationName,
      // A notification has no durable effect, so it waits for neither disk nor standby.
      options: `${sessionOptions(session)} -c synchronous_commit=off`,
      keepAlive: true,
      // Messages and heartbeats are sent in order without waiting for each other.
      pipeline: true,
    });
    client.on('error', () => this.disconnect(client));
    client.on('end', () => this.disconnect(client));
    client.on('notification', ({ payload }) => this.#deliver(payload ?? ''));
    try {
      await client.connect();
      const generation = this.#origin.note(await requireOwnSession(client, session));
      if (this.#isStopped) throw new Error('stopped while connecting');
      // The client is set before it starts to listen, because even the first notification may require a response.
      this.#client = client;
      this.#generation = generation;
      await client.query(`listen ${channel}`);
      await this.#prove(client, () => this.#events.onConnected());
    } catch {
      // The database is unreachable, or the connection is no longer wanted. The timer retries unless it was stopped.
      this.disconnect(client);
    }
  }

  /** Sends itself a notification and waits for it. By then, every earlier notification has been delivered. */
  async #prove(client: pg.Client, onHeard: () => void = () => undefined): Promise<void> {
    const { channel, patienceMs } = this.#options;
    const payload = `${pulse}${crypto.randomUUID()}`;
    const sentAt = performance.now();
    const heard = Promise.withResolvers<void>();
    this.#awaited = { payload, hear: heard.resolve };
    const sent = client.query('select pg_notify($1, $2)', [channel, payload]);
    await withinTime(Promise.all([sent, heard.promise]), patienceMs, 'The notification was not received in time.');
    if (this.#client !== client) throw new Error('The connection was closed in the meantime.');
    onHeard();
    this.#heardAt = sentAt;
    this.#lastHeardAt = sentAt;
  }

  /** Closes the connection if it leads to a replaced primary that still responds. */
  #leaveReplaced(): void {
    if (this.#client !== undefined && this.#generation !== this.#origin.generation) this.disconnect(this.#client);
  }

  #deliver(payload: string): void {
    if (!payload.startsWith(pulse)) this.#events.onPayload(payload);
    else if (payload === this.#awaited?.payload) this.#awaited.hear();
  }
}
