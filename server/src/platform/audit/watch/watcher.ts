import { parseTenantId } from '../../../core/identity/ids.ts';
import type { Database } from '../../database/database.ts';
import type { Alert, AlertThresholds } from './alert-rule.ts';
import { recordAlert } from './alert-store.ts';
import { type WatchedGroup, WatchStore } from './watch-store.ts';

const recordsPerPass = 10_000;
/** The maximum number of alerts in a pass, so that a pass ends no matter how many keys cause alerts. */
const alertsPerPass = 100;
const forgetEveryMs = 60_000;
/** The delay before retrying a log that cannot be written to. Alerts of other tenants are not delayed. */
const recordAgainMs = 60_000;

export interface WatchPass {
  /** The alerts that were written to the log. */
  readonly alerts: readonly Alert[];
  /** The errors of alerts that could not be written. */
  readonly failures: readonly unknown[];
  readonly groups: readonly WatchedGroup[];
  /** True if there were more records or alerts than one pass handles. */
  readonly isFull: boolean;
}

interface WatcherParts {
  /** Reads the logs of all tenants. `database` writes to the log of one tenant. */
  readonly sealerDatabase: Database;
  readonly database: Pick<Database, 'forTenant'>;
  readonly thresholds: AlertThresholds;
}

/**
 * Follows the sealer and looks for suspicious activity. It sees every record once, no matter which server wrote it, and
 * has its own position in the log, so a failure here does not stop sealing. An alert is raised in one transaction and
 * recorded in another, which first checks whether it was already recorded. A crash therefore neither loses an alert nor
 * writes it twice.
 */
export class Watcher {
  readonly #sealerDatabase: Database;
  readonly #database: Pick<Database, 'forTenant'>;
  readonly #thresholds: AlertThresholds;
  #forgottenAt = Number.NEGATIVE_INFINITY;
  /** The tenants whose log could not be written to, and the time of the failure. */
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

  /** Evaluates the next records. The counts and the position are updated in one transaction. */
  #look(): Promise<Pick<WatchPass, 'groups' | 'isFull'>> {
    return this.#sealerDatabase.forSealer(async (tx) => {
      const store = new WatchStore(tx);
      if (!(await store.becomeWatcher())) return { groups: [], isFull: false };
      const next = await store.findNext(recordsPerPass);
      const groups = next.records === 0 ? [] : await store.listGroups(next, this.#thresholds.windowMinutes);
      await this.#raise(store, groups);
      await store.moveTo(next.to);
      const isFull = next.records >= recordsPerPass;
      // Nothing is deleted while the watcher catches up. Otherwise an old window could be deleted while its records are
      // still being read, and its alert would be raised twice.
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
    // Sessions and users use browsers, whose addresses can be anywhere.
    const placed = addresses === 0 ? [] : groups.filter(({ actorType }) => actorType === 'application');
    await store.addAndRaise('misses', sumUp(missed), misses);
    await store.addAndRaise('reveals', sumUp(revealed), reveals);
    await store.addAddresses(
      placed.flatMap((group) => (group.sourceAddress === null ? [] : [{ ...group, value: group.sourceAddress }])),
      addresses,
    );
  }

  /**
   * Records the next alert. The transaction holds the watcher's lock, so that two workers cannot record the same alert.
   */
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

/**
 * Sums up groups by key or user, window and value, regardless of their address, because one statement cannot update a
 * row twice.
 */
function sumUp(groups: readonly WatchedGroup[]): WatchedGroup[] {
  const sums = new Map<string, WatchedGroup>();
  for (const group of groups) {
    const name = JSON.stringify([group.tenantId, group.keyId, group.bucket, group.value]);
    sums.set(name, { ...group, count: (sums.get(name)?.count ?? 0) + group.count });
  }
  return [...sums.values()];
}
