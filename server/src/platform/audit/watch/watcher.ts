import { parseTenantId } from '../../../core/identity/ids.ts';
import type { Database } from '../../database/database.ts';
import type { Alert, AlertThresholds } from './alert-rule.ts';
import { recordAlert } from './alert-store.ts';
import { type WatchedGroup, WatchStore } from './watch-store.ts';

const recordsPerPass = 10_000;
/** A pass must end, however many keys are at it. */
const alertsPerPass = 100;
const forgetEveryMs = 60_000;
/** A log that cannot be written to is tried again this often; the alerts of other tenants do not wait for it. */
const recordAgainMs = 60_000;

export interface WatchPass {
  /** Those that were written to the log. */
  readonly alerts: readonly Alert[];
  /** Why alerts could not be written. */
  readonly failures: readonly unknown[];
  readonly groups: readonly WatchedGroup[];
  /** There was more than one pass takes. */
  readonly isFull: boolean;
}

interface WatcherParts {
  /** Reads the logs of all tenants; `database` writes to the log of one. */
  readonly sealerDatabase: Database;
  readonly database: Pick<Database, 'forTenant'>;
  readonly thresholds: AlertThresholds;
}

/**
 * Follows the sealer and looks for bursts. It sees every record once, whichever server wrote it, and has a place of its own in
 * the log: a failure here stops no sealing. An alert is found in one transaction and recorded in another, in which it is looked
 * for first, so that a crash loses none and writes none twice.
 */
export class Watcher {
  readonly #sealerDatabase: Database;
  readonly #database: Pick<Database, 'forTenant'>;
  readonly #thresholds: AlertThresholds;
  #forgottenAt = Number.NEGATIVE_INFINITY;
  /** Tenants whose log could not be written to, and when. */
  readonly #failedAt = new Map<string, number>();

  constructor(parts: WatcherParts) {
    this.#sealerDatabase = parts.sealerDatabase;
    this.#database = parts.database;
    this.#thresholds = parts.thresholds;
  }

  async watch(): Promise<WatchPass> {
    const { groups, isFull } = await this.#look();
    const alerts: Alert[] = [];
    const failures: unknown[] = [];
    for (let count = 0; count < alertsPerPass; count += 1) {
      const { alert, failure } = await this.#recordNext();
      if (alert === undefined) return { alerts, failures, groups, isFull };
      if (failure === undefined) alerts.push(alert);
      else failures.push(failure);
    }
    return { alerts, failures, groups, isFull: true };
  }

  /** One transaction: what is remembered and the place move together. */
  #look(): Promise<Pick<WatchPass, 'groups' | 'isFull'>> {
    return this.#sealerDatabase.forSealer(async (tx) => {
      const store = new WatchStore(tx);
      if (!(await store.becomeWatcher())) return { groups: [], isFull: false };
      const next = await store.findNext(recordsPerPass);
      const groups = next.records === 0 ? [] : await store.listGroups(next, this.#thresholds.windowMinutes);
      await this.#raise(store, groups);
      await store.moveTo(next.to);
      const isFull = next.records >= recordsPerPass;
      // Not while it catches up: a window of long ago is forgotten while its records are still coming, and would be raised again.
      if (!isFull && performance.now() - this.#forgottenAt > forgetEveryMs) {
        this.#forgottenAt = performance.now();
        await store.forget(this.#thresholds);
      }
      return { groups, isFull };
    });
  }

  async #raise(store: WatchStore, groups: readonly WatchedGroup[]): Promise<void> {
    const { misses, reveals, addresses } = this.#thresholds;
    const missed = misses === 0 ? [] : groups.filter(({ kind }) => kind === 'missed');
    const revealed = reveals === 0 ? [] : groups.filter(({ kind }) => kind === 'revealed');
    // Sessions and users are at browsers, which are anywhere.
    const placed = addresses === 0 ? [] : groups.filter(({ actorType }) => actorType === 'application');
    await store.addAndRaise('misses', sumUp(missed), misses);
    await store.addAndRaise('reveals', sumUp(revealed), reveals);
    await store.addAddresses(
      placed.flatMap((group) => (group.sourceAddress === null ? [] : [{ ...group, value: group.sourceAddress }])),
      addresses,
    );
  }

  /** Under the lock of the watcher, so that no two workers record the same. */
  #recordNext(): Promise<{ readonly alert?: Alert; readonly failure?: unknown }> {
    return this.#sealerDatabase.forSealer(async (tx) => {
      const store = new WatchStore(tx);
      const alert = (await store.becomeWatcher()) ? await store.findUnrecorded(this.#listFailed()) : undefined;
      if (alert === undefined) return {};
      const tenantId = parseTenantId(alert.tenantId);
      const { windowMinutes } = this.#thresholds;
      try {
        await this.#database.forTenant(tenantId, (own) => recordAlert(own, tenantId, alert, windowMinutes));
      } catch (failure) {
        this.#failedAt.set(alert.tenantId, performance.now());
        return { alert, failure };
      }
      await store.noteRecorded(alert);
      return { alert };
    });
  }

  #listFailed(): string[] {
    for (const [tenantId, failedAt] of this.#failedAt)
      if (performance.now() - failedAt > recordAgainMs) this.#failedAt.delete(tenantId);
    return [...this.#failedAt.keys()];
  }
}

/** One for each key or user, window and value, whatever address they come from: a statement updates no row twice. */
function sumUp(groups: readonly WatchedGroup[]): WatchedGroup[] {
  const sums = new Map<string, WatchedGroup>();
  for (const group of groups) {
    const name = JSON.stringify([group.tenantId, group.keyId, group.bucket, group.value]);
    sums.set(name, { ...group, count: (sums.get(name)?.count ?? 0) + group.count });
  }
  return [...sums.values()];
}
