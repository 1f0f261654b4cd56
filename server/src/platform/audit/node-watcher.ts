import { setTimeout as pauseFor } from 'node:timers/promises';
import type { Database } from '../database/database.ts';
import type { AlertThresholds } from './alert-rule.ts';
import { raiseAlerts, recordsPerPass, type WatchPass } from './watcher.ts';
import { type WatchedGroup, WatchStore } from './watch-store.ts';

/** The watcher of the home database holds its lock for as long as it takes to add what it has seen. */
const lockPauseMs = 50;
const lockTriesMax = 40;

interface NodeWatcherParts {
  /** Of the node, as the role that reads the logs of all tenants. */
  readonly nodeDatabase: Database;
  /** Of the home database, as the same role. */
  readonly homeDatabase: Database;
  readonly thresholds: AlertThresholds;
}

/**
 * Follows the sealer of a node. What it sees is remembered in the home database, together with what happens there and on other
 * nodes: a window counts what a key does in the whole vault. The watcher of the home database records the alerts.
 *
 * What is seen is committed at home before the node moves on. After a crash in between, the same records are seen again: tokens and
 * addresses are remembered by name and count once, misses count twice. Those are recorded at home, where that cannot happen.
 */
export class NodeWatcher {
  readonly #node: Database;
  readonly #home: Database;
  readonly #thresholds: AlertThresholds;

  constructor(parts: NodeWatcherParts) {
    this.#node = parts.nodeDatabase;
    this.#home = parts.homeDatabase;
    this.#thresholds = parts.thresholds;
  }

  watch(): Promise<WatchPass> {
    return this.#node.forSealer(async (tx) => {
      const store = new WatchStore(tx);
      const nothing = { alerts: [], failures: [], groups: [], isFull: false };
      if (!(await store.becomeWatcher())) return nothing;
      const next = await store.findNext(recordsPerPass);
      const groups = next.records === 0 ? [] : await store.listGroups(next, this.#thresholds.windowMinutes);
      if (groups.length > 0 && !(await this.#remember(groups))) return nothing;
      await store.moveTo(next.to);
      return { ...nothing, groups, isFull: next.records >= recordsPerPass };
    });
  }

  /** False if the lock could not be had: then the next pass sees the same records. */
  async #remember(groups: readonly WatchedGroup[]): Promise<boolean> {
    for (let tries = 0; tries < lockTriesMax; tries += 1) {
      const isDone = await this.#home.forSealer(async (tx) => {
        const store = new WatchStore(tx);
        if (!(await store.becomeWatcher())) return false;
        await raiseAlerts(store, await this.#withAuthorizers(store, groups), this.#thresholds);
        return true;
      });
      if (isDone) return true;
      await pauseFor(lockPauseMs);
    }
    return false;
  }

  /** Which key has authorized a session is recorded at home only. */
  async #withAuthorizers(store: WatchStore, groups: readonly WatchedGroup[]): Promise<WatchedGroup[]> {
    const authorizers = await store.findAuthorizers(groups);
    return groups.map((group) => {
      const keyId = group.actorType === 'session' ? authorizers.get(group.actorId) : undefined;
      return keyId === undefined ? group : { ...group, keyId };
    });
  }
}
