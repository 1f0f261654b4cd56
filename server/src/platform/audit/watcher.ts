import { parseTenantId } from '../../core/identity/ids.ts';
import type { Database } from '../database/database.ts';
import type { Alert, AlertThresholds } from './alert-rule.ts';
import { recordInTransaction } from './audit-log.ts';
import { type WatchedGroup, WatchStore } from './watch-store.ts';

const recordsPerPass = 10_000;
const forgetEveryMs = 60_000;

export interface WatchPass {
  readonly alerts: readonly Alert[];
  readonly groups: readonly WatchedGroup[];
  /** There was more than one pass takes. */
  readonly isFull: boolean;
}

const nothing: WatchPass = { alerts: [], groups: [], isFull: false };

/**
 * Follows the sealer and looks for bursts. It sees every record once, whichever server wrote it, and has a place of its own in
 * the log: a failure here stops no sealing.
 */
export class Watcher {
  readonly #sealerDatabase: Database;
  readonly #database: Database;
  readonly #thresholds: AlertThresholds;
  #forgottenAt = Number.NEGATIVE_INFINITY;

  constructor(parts: { sealerDatabase: Database; database: Database; thresholds: AlertThresholds }) {
    this.#sealerDatabase = parts.sealerDatabase;
    this.#database = parts.database;
    this.#thresholds = parts.thresholds;
  }

  /** One transaction: what is remembered and the place move together. */
  async watch(): Promise<WatchPass> {
    return this.#sealerDatabase.forSealer(async (tx) => {
      const store = new WatchStore(tx);
      if (!(await store.becomeWatcher())) return nothing;
      const next = await store.findNext(recordsPerPass);
      const groups = next.records === 0 ? [] : await store.listGroups(next, this.#thresholds.windowMinutes);
      const alerts = await this.#findAlerts(store, groups);
      await store.moveTo(next.to);
      if (performance.now() - this.#forgottenAt > forgetEveryMs) {
        this.#forgottenAt = performance.now();
        await store.forget(this.#thresholds);
      }
      // Before this transaction ends: a crash in between writes an alert twice rather than never.
      for (const alert of alerts) await this.#record(alert);
      return { alerts, groups, isFull: next.records >= recordsPerPass };
    });
  }

  async #findAlerts(store: WatchStore, groups: readonly WatchedGroup[]): Promise<Alert[]> {
    const { misses, reveals, addresses } = this.#thresholds;
    const missed = misses === 0 ? [] : groups.filter(({ kind }) => kind === 'missed');
    const revealed = reveals === 0 ? [] : groups.filter(({ kind }) => kind === 'revealed');
    // Sessions belong to browsers, which are anywhere.
    const placed = addresses === 0 ? [] : groups.filter(({ actorType }) => actorType === 'application');
    return [
      ...(await store.addAndRaise('misses', sumUp(missed), misses)),
      ...(await store.addAndRaise('reveals', sumUp(revealed), reveals)),
      ...(await store.addAddresses(
        placed.flatMap((group) => (group.sourceAddress === null ? [] : [{ ...group, value: group.sourceAddress }])),
        addresses,
      )),
    ];
  }

  async #record({ tenantId, keyId, rule, count }: Alert): Promise<void> {
    const tenant = parseTenantId(tenantId);
    await this.#database.forTenant(tenant, (tx) =>
      recordInTransaction(tx, tenant, 'system', {
        entityType: 'key',
        entityId: keyId,
        operation: 'alert',
        outcome: 'success',
        details: { rule, count, minutes: this.#thresholds.windowMinutes },
      }),
    );
  }
}

/** One for each key, window and value, whatever address they come from: a statement updates no row twice. */
function sumUp(groups: readonly WatchedGroup[]): WatchedGroup[] {
  const sums = new Map<string, WatchedGroup>();
  for (const group of groups) {
    const name = JSON.stringify([group.tenantId, group.keyId, group.bucket, group.value]);
    sums.set(name, { ...group, count: (sums.get(name)?.count ?? 0) + group.count });
  }
  return [...sums.values()];
}
