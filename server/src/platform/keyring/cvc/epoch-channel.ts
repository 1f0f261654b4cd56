import type { ConnectionOrigin } from '../../database/connections/connection-origin.ts';
import { type ListenerEvents, PostgresListener } from '../../database/connections/postgres-listener.ts';

const channel = 'strongroom_epochs';
const applicationName = 'strongroom epochs';
const heartbeatMs = 1_000;
const patienceMs = 2_000;
const sendingMax = 64;

/**
 * The channel between servers. Messages sent while it is broken are dropped. After it is restored, both sides
 * immediately exchange the keys that they have.
 */
export class EpochChannel {
  readonly #listener: PostgresListener;
  #sending = 0;

  constructor(url: string, events: ListenerEvents, origin?: ConnectionOrigin) {
    this.#listener = new PostgresListener({ url, channel, applicationName, heartbeatMs, patienceMs, origin }, events);
  }

  get isConnected(): boolean {
    return this.#listener.client !== undefined;
  }

  start(): Promise<void> {
    return this.#listener.start();
  }

  stop(): Promise<void> {
    return this.#listener.stop();
  }

  /**
   * Sends messages in one transaction, so that they arrive together and in order. Resolves when they have been sent or
   * dropped.
   */
  async send(payloads: readonly string[]): Promise<void> {
    const { client } = this.#listener;
    if (client === undefined || payloads.length === 0 || this.#sending >= sendingMax) return;
    this.#sending += 1;
    try {
      await client.query('select pg_notify($1, payload) from unnest($2::text[]) as payload', [channel, payloads]);
    } catch {
      // The queue is full, the statement timed out, or the connection broke. Reconnecting brings both sides up to date.
      this.#listener.disconnect(client);
    } finally {
      this.#sending -= 1;
    }
  }

  /** Returns how many other servers are listening. A server that has just died may still be counted. */
  async countOthers(): Promise<number> {
    const counted = await this.#listener.client
      ?.query<{ count: number }>(
        `select count(*)::integer as count from pg_stat_activity
         where datname = current_database() and application_name = $1 and pid <> pg_backend_pid()`,
        [applicationName],
      )
      .catch(() => undefined);
    return counted?.rows[0]?.count ?? 0;
  }
}
