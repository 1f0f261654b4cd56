import { setTimeout as pauseFor } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { DomainError } from '../../core/errors/domain-error.ts';
import { homeName } from '../../core/nodes/home-name.ts';
import { OperatorError } from '../../core/errors/operator-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { Database } from '../database/database.ts';
import { isKeyVersionClosed, isRefusedByPolicy } from '../database/database-error.ts';
import { withinDeadline, withoutDeadline } from '../waiting/deadline.ts';
import { nextMoment, OutdatedRoute, withRoute } from '../waiting/route.ts';
import { SharedReads } from '../waiting/shared-reads.ts';
import { FairLanes } from '../waiting/fair-lanes.ts';
import { readClaims } from './claimed-drawers.ts';
import { drawerOf } from './drawers.ts';
import { idsAnywhere, type IdSource, idsWhere, makeId } from './id-source.ts';
import { KnownDrawers } from './known-drawers.ts';
import type { VaultNode } from './vault-node.ts';
import {
  listNodeNames,
  type NodeState,
  readAcquaintance,
  readNodeState,
  readWholeState,
  writeAcquaintance,
} from './node-store.ts';

/** A drawer that is on its way is held by nobody for as long as its last changes take to follow. */
export const transitMaxMs = 5_000;
const transitPauseMs = 20;
const acquaintedMax = 10_000;
/** How many requests of a process may have something prepared at the same time. */
export const jointsMax = 16;
const jointsWaitingMax = 500;

export type { VaultNode } from './vault-node.ts';

/** What a process needs to write on several nodes, if it is one that creates tokens. */
export interface JointMeans {
  /** Another pool of home. */
  readonly claims: Database;
  /** How long a request waits until it may begin. */
  readonly waitMaxMs: number;
}

/** What is about to be done, for finding the node that has it. */
export interface Errand {
  readonly tenantId: TenantId;
  /** An id of a token, or whatever else lies in a drawer. */
  readonly key: string;
  /** The application that writes, if one does: a node has to know it. */
  readonly by?: string | null | undefined;
}

/** Something that there is one of for each node. */
export interface PerNode<T> {
  of(node: VaultNode): T;
}

/**
 * The databases that hold tokens, and which of them holds what. Where there is only one, it holds everything and nothing is asked.
 * Otherwise each says itself which drawers it holds, and refuses to write into others: what is remembered here may be out of date,
 * and is read again whenever something is not where it should be.
 */
export class Nodes {
  readonly all: readonly VaultNode[];
  readonly home: VaultNode;
  /**
   * For transactions at home that claim something. Those that wait for a claim would otherwise take the connections that whoever holds
   * it needs to go on.
   */
  readonly claims: Database;
  /** What is prepared for this process at the same time is limited, as it is on a database. */
  readonly jointLanes: FairLanes;
  #known: KnownDrawers;
  #loading: Promise<void> | undefined;
  readonly #introductions = new SharedReads<string, void>();
  readonly #acquainted = new LRUCache<string, true>({ max: acquaintedMax });

  /** A vault with a single database. */
  static alone(database: Database): Nodes {
    return new Nodes([{ name: homeName, database }]);
  }

  /** The first is home. Throws an error for the operator if one of them is not what its name says. */
  static async open(nodes: readonly VaultNode[], joint?: JointMeans): Promise<Nodes> {
    const opened = new Nodes(nodes, joint);
    await opened.#load();
    await opened.#requireWhole();
    return opened;
  }

  private constructor(nodes: readonly VaultNode[], joint?: JointMeans) {
    const [home] = nodes;
    if (home === undefined) throw new TypeError('There is no vault without a database.');
    this.all = nodes;
    this.home = home;
    this.claims = joint?.claims ?? home.database;
    const waitMaxMs = joint?.waitMaxMs ?? transitMaxMs;
    this.jointLanes = new FairLanes({ placesMax: jointsMax, waitingMax: jointsWaitingMax, waitMaxMs });
    this.#known = nodes.length === 1 ? KnownDrawers.allAt(home) : KnownDrawers.of(new Map());
  }

  get isAlone(): boolean {
    return this.all.length === 1;
  }

  each<T>(make: (node: VaultNode) => T): PerNode<T> {
    const made = new Map(this.all.map((node) => [node, make(node)]));
    return {
      of(node) {
        const one = made.get(node);
        if (one === undefined) throw new TypeError('There is no such node.');
        return one;
      },
    };
  }

  /**
   * Does something where a drawer is held. If nothing is found there, or nothing may be written, the drawer may have moved on
   * meanwhile: then it is done once more where it is now.
   */
  async at<T>(
    errand: Errand,
    work: (node: VaultNode) => Promise<T>,
    isMiss: (result: T) => boolean = isNothing,
  ): Promise<T> {
    if (this.isAlone) return work(this.home);
    const drawer = drawerOf(errand.key);
    for (;;) {
      const known = this.#known;
      const node = await this.#findHolder(drawer);
      const outcome = await this.route(known, () => this.#try(node, errand, work));
      if ('error' in outcome && outcome.error instanceof OutdatedRoute) {
        await this.renew(known);
        continue;
      }
      const isFound = 'result' in outcome ? !isMiss(outcome.result) : !isRefusedByPolicy(outcome.error);
      if (isFound || known.isStill(node, await readNodeState(node.database))) {
        if ('result' in outcome) return outcome.result;
        // Something else that is written with it may have moved on.
        if (!isFound) await this.#load();
        throw outcome.error;
      }
      await this.#load();
    }
  }

  /** Some keys by the nodes that hold them now. */
  async group<Key extends string>(keys: readonly Key[]): Promise<Map<VaultNode, Key[]>> {
    if (this.isAlone) return new Map(keys.length === 0 ? [] : [[this.home, [...keys]]]);
    const groups = new Map<VaultNode, Key[]>();
    for (const key of keys) {
      const node = await this.#findHolder(drawerOf(key));
      const group = groups.get(node);
      if (group === undefined) groups.set(node, [key]);
      else group.push(key);
    }
    return groups;
  }

  /** What is known now of what the nodes hold; to be noted before keys are grouped by it, if some may be looked for in vain. */
  get known(): KnownDrawers {
    return this.#known;
  }

  /**
   * Does something where it belongs by what was known. If a database has been replaced or restarted since, it is not done there, and an
   * `OutdatedRoute` is thrown.
   */
  route<T>(known: KnownDrawers, work: () => T): T {
    return this.isAlone ? work() : withRoute(known.since, work);
  }

  /** After an `OutdatedRoute`: returns when more is known than that. Every node has to say what it holds. */
  async renew(known: KnownDrawers): Promise<void> {
    // One that has begun before does not count.
    await this.#loading;
    await this.#load();
    if (this.#known.since <= known.since) throw unsure();
  }

  /** Those of the keys that were looked for on a node in vain, and may lie elsewhere, if drawers have moved since what was known then. */
  async listGone<Key extends string>(node: VaultNode, keys: readonly Key[], known: KnownDrawers): Promise<Key[]> {
    if (this.isAlone || keys.length === 0) return [];
    if (known.isStill(node, await readNodeState(node.database))) return [];
    await this.#load();
    return [...keys];
  }

  /** Draws ids for tokens that are written together, and so have to lie in one place: that of `anchor`, where there is one. */
  async idsInOnePlace(anchor?: string): Promise<IdSource> {
    if (this.isAlone) return idsAnywhere;
    const place = await this.#findHolder(drawerOf(anchor ?? makeId()));
    // As it is now: a place that has lost all its drawers meanwhile would never accept one.
    const known = this.#known;
    return idsWhere((id) => known.holderOf(drawerOf(id)) === place);
  }

  /**
   * Whether all drawers lay where they were thought to be while the nodes were asked for something: by what was known before, and by
   * what each has said afterwards.
   */
  async isAsKnown(known: KnownDrawers, after: ReadonlyMap<VaultNode, NodeState>): Promise<boolean> {
    const isSame = this.all.every((node) => known.isStill(node, after.get(node)));
    if (isSame && known.isWhole) return true;
    await pauseFor(isSame ? transitPauseMs : 0);
    await this.#load();
    return false;
  }

  /** The same on all nodes. */
  async acquaintAll(tenantId: TenantId, by: string | null | undefined): Promise<void> {
    if (by === null || by === undefined) return;
    for (const node of this.all) await this.acquaint(node, tenantId, by);
  }

  /** Makes sure that a node knows the tenant and this application. */
  async acquaint(node: VaultNode, tenantId: TenantId, by: string): Promise<void> {
    const name = `${node.name}/${tenantId}/${by}`;
    if (node === this.home || this.#acquainted.has(name)) return;
    const keep = () => this.#acquainted.set(name, true);
    await this.#introductions.run(name, () => this.introduce(node, tenantId), keep);
  }

  /** Tells a node everything that it has to know of the tenant: its keys by their numbers, and its applications. */
  async introduce(node: VaultNode, tenantId: TenantId): Promise<void> {
    if (node === this.home) return;
    const known = await readAcquaintance(this.home.database, tenantId);
    if (known !== undefined) await writeAcquaintance(node.database, tenantId, known);
  }

  /** Does something on a node; once more if the node has refused a key, which it may not have heard of yet. */
  async introducing<T>(node: VaultNode, tenantId: TenantId, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (node === this.home || !isKeyVersionClosed(error)) throw error;
      await this.introduce(node, tenantId);
      return work();
    }
  }

  /** Asks all nodes what they hold: something was not where it should be. */
  async lookAgain(): Promise<void> {
    if (!this.isAlone) await this.#load();
  }

  async #try<T>(
    node: VaultNode,
    { tenantId, by }: Errand,
    work: (node: VaultNode) => Promise<T>,
  ): Promise<{ readonly result: T } | { readonly error: unknown }> {
    if (by !== undefined && by !== null) await this.acquaint(node, tenantId, by);
    return this.introducing(node, tenantId, () => work(node)).then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    );
  }

  async #findHolder(drawer: number): Promise<VaultNode> {
    const giveUpAt = performance.now() + withinDeadline(transitMaxMs);
    for (;;) {
      const holder = this.#known.holderOf(drawer);
      if (holder !== undefined) return holder;
      if (performance.now() > giveUpAt) throw inTransit();
      await pauseFor(transitPauseMs);
      await this.#load();
    }
  }

  /** Once for all that ask at the same time. What a node that cannot be reached holds is what it held before. */
  #load(): Promise<void> {
    this.#loading ??= withoutDeadline(() => this.#readStates()).finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #readStates(): Promise<void> {
    const began = nextMoment();
    const states = new Map(this.#known.states);
    const isFirst = states.size === 0;
    const read = await Promise.allSettled(this.all.map(({ database }) => readWholeState(database)));
    for (const [index, outcome] of read.entries()) {
      const node = this.all[index];
      if (outcome.status === 'fulfilled' && node !== undefined) states.set(node, outcome.value);
      else if (isFirst && outcome.status === 'rejected') throw outcome.reason;
    }
    const isComplete = read.every(({ status }) => status === 'fulfilled');
    const since = isComplete ? began : this.#known.since;
    // Where drawers have moved, connections that are opened later say nothing new.
    if (isComplete) for (const [{ database }, { place }] of states) database.notePlace(place, began);
    this.#known = KnownDrawers.of(states, { since, claims: await readClaims(states) });
  }

  async #requireWhole(): Promise<void> {
    const { states } = this.#known;
    const vaultId = states.get(this.home)?.vaultId;
    for (const [node, state] of states) {
      if (state.name === node.name && state.vaultId === vaultId) continue;
      throw new OperatorError(
        `The database of node ${node.name} is not a node of this vault by that name: it says that it is ${state.name}. Add it with \`strongroom nodes add ${node.name}\`, or correct STRONGROOM_NODES.`,
      );
    }
    const known = new Set(this.all.map(({ name }) => name));
    const missing = (await listNodeNames(this.home.database)).filter((name) => !known.has(name));
    if (missing.length === 0) return;
    throw new OperatorError(
      `STRONGROOM_NODES does not name all nodes of this vault. Without ${missing.join(', ')}, tokens and parts of the log are missing.`,
    );
  }
}

function isNothing(result: unknown): boolean {
  return result === undefined || result === false;
}

function unsure(): DomainError {
  return new DomainError(
    'overloaded',
    'A database of the vault has been replaced or restarted, and another cannot be reached. Try again shortly.',
  );
}

export function inTransit(): DomainError {
  return new DomainError('overloaded', 'This part of the vault is being moved. Try again shortly.');
}
