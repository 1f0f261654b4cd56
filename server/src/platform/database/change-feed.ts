import { PostgresListener } from './postgres-listener.ts';

const channel = 'strongroom_changes';
export const feedName = 'strongroom changes';
const heartbeatMs = 300;
/** Past this age of the last heartbeat nothing in memory is believed: together with the heartbeat well under a second. */
const trustMs = 600;

const changedTables = ['application_keys', 'applications', 'sessions', 'tenants', 'tenant_keys'] as const;
export type ChangedTable = (typeof changedTables)[number];
export type ChangeListener = (table: ChangedTable, id: string) => void;

/**
 * Tells this process what other processes changed. PostgreSQL delivers a notice with the commit that causes it; a
 * heartbeat that comes back the same way proves that notices still arrive. While it does not, `isCurrent` is false and
 * caches ask the database instead.
 */
export class ChangeFeed {
  readonly #listener: PostgresListener;
  readonly #listeners = new Set<ChangeListener>();
  readonly #lostListeners = new Set<() => void>();

  /** What the connection is called in the database says something about this process to others, such as its root keys. */
  constructor(url: string, mark: string) {
    this.#listener = new PostgresListener(
      { url, channel, applicationName: `${feedName} ${mark}`, heartbeatMs, patienceMs: trustMs },
      {
        onConnected: () => {
          for (const listener of this.#lostListeners) listener();
        },
        onPayload: (payload) => this.#deliver(payload),
      },
    );
  }

  onChange(listener: ChangeListener): void {
    this.#listeners.add(listener);
  }

  /** Called when notices may have been missed: whatever was cached has to go. */
  onGap(listener: () => void): void {
    this.#lostListeners.add(listener);
  }

  get isCurrent(): boolean {
    return performance.now() - this.#listener.heardAt < trustMs;
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
