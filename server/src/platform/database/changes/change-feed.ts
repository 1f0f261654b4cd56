import type { ConnectionOrigin } from '../connections/connection-origin.ts';
import { PostgresListener } from '../connections/postgres-listener.ts';

const channel = 'strongroom_changes';
export const feedName = 'strongroom changes';
const heartbeatMs = 300;
/** Once the last heartbeat is older than this, caches are not trusted; together with the heartbeat interval, well under a second. */
const trustMs = 600;

const changedTables = ['application_keys', 'applications', 'sessions', 'tenants', 'tenant_keys'] as const;
export type ChangedTable = (typeof changedTables)[number];
export type ChangeListener = (table: ChangedTable, id: string) => void;

/**
 * Tells this process what other processes changed. PostgreSQL delivers a notification with the commit that causes it; a
 * heartbeat that returns the same way proves that notifications still arrive. If it does not, `isCurrent` is false and
 * caches ask the database instead.
 */
export class ChangeFeed {
  readonly #listener: PostgresListener;
  readonly #listeners = new Set<ChangeListener>();
  readonly #gapListeners = new Set<() => void>();
  readonly #lostListeners = new Set<() => void>();

  /** The name of the connection in the database tells others something about this process, such as its root keys. */
  constructor(url: string, mark: string, origin?: ConnectionOrigin) {
    this.#listener = new PostgresListener(
      { url, channel, applicationName: `${feedName} ${mark}`, heartbeatMs, patienceMs: trustMs, origin },
      {
        onConnected: () => {
          for (const listener of this.#gapListeners) listener();
        },
        onLost: () => {
          for (const listener of this.#lostListeners) listener();
        },
        onPayload: (payload) => this.#deliver(payload),
      },
    );
  }

  onChange(listener: ChangeListener): void {
    this.#listeners.add(listener);
  }

  /** Called when notifications may have been missed: all cached values must be dropped. */
  onGap(listener: () => void): void {
    this.#gapListeners.add(listener);
  }

  /** Called when the connection breaks. */
  onLost(listener: () => void): void {
    this.#lostListeners.add(listener);
  }

  get isCurrent(): boolean {
    return performance.now() - this.#listener.heardAt < trustMs;
  }

  /** How long nothing was heard. Late heartbeats on a busy machine make a server slower, not wrong. */
  get silentMs(): number {
    return performance.now() - this.#listener.lastHeardAt;
  }

  start(): Promise<void> {
    return this.#listener.start();
  }

  stop(): Promise<void> {
    return this.#listener.stop();
  }

  #deliver(payload: string): void {
    const [name, id] = payload.split(' ');
    const table = changedTables.find((known) => known === name);
    if (table === undefined || id === undefined) return;
    for (const listener of this.#listeners) listener(table, id);
  }
}
