import { setTimeout as pauseFor } from 'node:timers/promises';
import type { Database } from '../database/database.ts';
import type { AlertThresholds } from './alert-rule.ts';
import { findSealedUntil, NodeWatchStore, type WatchedRange } from './node-watch-store.ts';
import { raiseAlerts, recordsPerPass, type WatchPass } from './watcher.ts';
import { type WatchedGroup, WatchStore } from './watch-store.ts';

/** The watcher of the home database holds its lock for as long as it takes to add what it has seen. */
const lockPauseMs = 50;
const lockTriesMax = 40;

/** How often home is told until when everything was seen, if there is nothing else to tell it. */
const tellSeenEveryMs = 10_000;

interface NodeWatcherParts {
  readonly node: string;
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
 * What is seen is committed at home before the node moves on, with the place where it begins. After a crash in between, home knows that
 * it has these records already. While the node cannot be reached, home goes on with the others, and keeps the windows that its records
 * may belong to.
 */
export class NodeWatcher {
  readonly #name: string;
  readonly #node: Database;
  readonly #home: Database;
  readonly #thresholds: AlertThresholds;
  #toldSeenAt = Number.NEGATIVE_INFINITY;

  constructor(parts: NodeWatcherParts) {
    this.#name = parts.node;
    this.#node = parts.nodeDatabase;
    this.#home = parts.homeDatabase;
    this.#thresholds = parts.thresholds;
  }

  watch(): Promise<WatchPass> {
    return this.#node.forSealer(async (tx) => {
      const store = new WatchStore(tx);
      const nothing = { alerts: [], failures: [], groups: [], isFull: false };
      if (!(await store.becomeWatcher())) return nothing;
      // Asked first: what is sealed meanwhile is seen too.
      const sealedUntil = await findSealedUntil(tx);
      const next = await store.findNext(recordsPerPass);
      const groups = next.records === 0 ? [] : await store.listGroups(next, this.#thresholds.windowMinutes);
      const to = groups.length === 0 ? next.to : await this.#remember(next, groups);
      if (to === undefined) return nothing;
      await store.moveTo(to);
      const isFull = next.records >= recordsPerPass || to !== next.to;
      if (!isFull) await this.#tellSeen(sealedUntil);
      // Some of them have been added before, and the others are seen again.
      return { ...nothing, groups: to === next.to ? groups : [], isFull };
    });
  }

  /** Where to go on; undefined if the lock could not be had: then the next pass sees the same records. */
  async #remember(range: WatchedRange, groups: readonly WatchedGroup[]): Promise<string | undefined> {
    for (let tries = 0; tries < lockTriesMax; tries += 1) {
      const to = await this.#home.forSealer(async (tx) => {
        const store = new WatchStore(tx);
        const own = new NodeWatchStore(tx, this.#name);
        if (!(await store.becomeWatcher())) return undefined;
        const added = await own.findAdded(range.from);
        if (added !== undefined) return added;
        await raiseAlerts(store, await this.#withAuthorizers(store, groups), this.#thresholds);
        await own.noteAdded(range);
        return range.to;
      });
      if (to !== undefined) return to;
      await pauseFor(lockPauseMs);
    }
    return undefined;
  }

  async #tellSeen(until: Date): Promise<void> {
    if (performance.now() - this.#toldSeenAt < tellSeenEveryMs) return;
    await this.#home.forSealer((tx) => new NodeWatchStore(tx, this.#name).noteSeen(until));
    this.#toldSeenAt = performance.now();
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
