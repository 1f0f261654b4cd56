import type { ConnectionOrigin } from '../connections/connection-origin.ts';
import { PostgresListener } from '../connections/postgres-listener.ts';

const channel = 'strongroom_changes';
export const feedName = 'strongroom changes';
const heartbeatMs = 300;
/**
 * The maximum age of the last heartbeat, in milliseconds. If it is older, caches are not trusted. The sum of this and
 * the heartbeat interval is well under a second.
 */
const trustMs = 600;

const changedTables = ['application_keys', 'applications', 'sessions', 'tenants', 'tenant_keys'] as const;
export type ChangedTable = (typeof changedTables)[number];
export type ChangeListener = (table: ChangedTable, id: string) => void;

/**
 * Reports changes made by other processes. PostgreSQL delivers a notification together with the commit that causes it.
 * A heartbeat over the same channel proves that notifications still arrive. If it does not return, `isCurrent` is false
 * and caches query the database instead.
 */
export class ChangeFeed {
  readonly #listener: PostgresListener;
  readonly #listeners = new Set<ChangeListener>();
  readonly #gapListeners = new Set<() => void>();
  readonly #lostListeners = new Set<() => void>();

  /**
   * `mark` becomes part of the connection's name, from which other processes can tell, for example, which root keys
   * this one has.
   */
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

  /** Registers a listener that is called when notifications may have been missed. It must drop all cached values. */
  onGap(listener: () => void): void {
    this.#gapListeners.add(listener);
  }

  /** Registers a listener that is called when the connection breaks. */
  onLost(listener: () => void): void {
    this.#lostListeners.add(listener);
  }

  get isCurrent(): boolean {
    return performance.now() - this.#listener.heardAt < trustMs;
  }

  /**
   * The time since the last heartbeat, in milliseconds. Late heartbeats on a busy machine slow a server down, but its
   * results stay correct.
   */
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
