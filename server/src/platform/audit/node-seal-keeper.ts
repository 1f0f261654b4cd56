import { nameOfTree } from '../../core/audit/log-tree.ts';
import { parseTenantId } from '../../core/identity/ids.ts';
import type { Database } from '../database/database.ts';
import type { SealedDatabase } from './anchoring.ts';
import { recordInTransaction } from './audit-log.ts';
import type { SignedCheckpoint } from './checkpoint.ts';
import { findContradiction, type NodeContradiction } from './node-contradiction.ts';
import { type NodeSeal, toNodeSealEvent } from './node-seal.ts';
import { findNoted, type NotedSeal } from './node-seal-store.ts';
import { SealStore } from './seal-store.ts';

/** The log of a busy tenant gets a record of it this often. */
const notedEverySeconds = 5 * 60;
const treesPerPage = 500;

/** A checkpoint of a node that this process has signed. */
type NodeCheckpoint = SignedCheckpoint & NodeSeal;

interface NoteOptions {
  /** How old what home has noted of a tree must be before it notes another. */
  readonly everySeconds?: number;
  readonly signal?: AbortSignal;
}

/**
 * Keeps what this process has signed on nodes until home has noted it, so that no node is asked how far its log is: whoever owns it could
 * show an earlier state for as long as they like. Of each tree only the newest has to be noted.
 */
export class NodeSealKeeper {
  readonly #home: Database;
  readonly #nodes: readonly SealedDatabase[];
  readonly #publicKey: Buffer;
  readonly #waiting = new Map<string, NodeCheckpoint>();
  readonly #onContradictions: (contradictions: readonly NodeContradiction[]) => void;
  #underway: Promise<void> | undefined;

  /** Home first, as the role that seals. */
  constructor(of: {
    databases: readonly [SealedDatabase, ...SealedDatabase[]];
    publicKey: Buffer;
    /** Gets what nodes show that cannot be. */
    onContradictions: (contradictions: readonly NodeContradiction[]) => void;
  }) {
    const [home, ...nodes] = of.databases;
    this.#home = home.database;
    this.#nodes = nodes;
    this.#publicKey = of.publicKey;
    this.#onContradictions = of.onContradictions;
  }

  /** Takes what was signed and committed, of any database. */
  add(checkpoints: readonly SignedCheckpoint[]): void {
    for (const checkpoint of checkpoints) {
      const { node } = checkpoint;
      if (node !== undefined) this.#waiting.set(nameOfTree(checkpoint), { ...checkpoint, node });
    }
  }

  /** Notes what is due, and tells of nodes that no longer show it. One at a time: anyone who comes meanwhile joins it. */
  note(options: NoteOptions = {}): Promise<void> {
    this.#underway ??= this.#note(options).finally(() => {
      this.#underway = undefined;
    });
    return this.#underway;
  }

  /** A node that cannot be reached keeps nothing from being noted, neither of it nor of others. */
  async #note(options: NoteOptions): Promise<void> {
    const failures: unknown[] = [];
    for (const { node = '', database } of this.#nodes) {
      const waiting = [...this.#waiting.values()].filter((each) => each.node === node);
      for (let from = 0; from < waiting.length; from += treesPerPage) {
        const noted = await this.#noteDue(node, waiting.slice(from, from + treesPerPage), options);
        await this.#compare(database, node, noted).catch((error: unknown) => failures.push(error));
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  async #noteDue(node: string, page: readonly NodeCheckpoint[], options: NoteOptions): Promise<NodeCheckpoint[]> {
    const { everySeconds = notedEverySeconds, signal } = options;
    const tenantIds = page.map(({ tenantId }) => tenantId);
    const known = await this.#home.forSealer((tx) => findNoted(tx, { node, tenantIds }));
    const written: NodeCheckpoint[] = [];
    for (const checkpoint of page) {
      signal?.throwIfAborted();
      const last = known.get(checkpoint.tenantId);
      const isNoted = last !== undefined && isCovered(checkpoint, last);
      if (!isNoted && last !== undefined && last.ageSeconds < everySeconds) continue;
      if (!isNoted) {
        const tenantId = parseTenantId(checkpoint.tenantId);
        await this.#home.forTenant(tenantId, (tx) =>
          recordInTransaction(tx, tenantId, 'system', toNodeSealEvent(checkpoint)),
        );
        written.push(checkpoint);
      }
      const tree = nameOfTree(checkpoint);
      if (this.#waiting.get(tree) === checkpoint) this.#waiting.delete(tree);
    }
    return written;
  }

  async #compare(database: Database, node: string, signed: readonly NodeCheckpoint[]): Promise<void> {
    if (signed.length === 0) return;
    const tenantIds = signed.map(({ tenantId }) => tenantId);
    const newest = await database.forSealer((tx) => new SealStore(tx, node).findNewest(tenantIds));
    this.#onContradictions(
      signed.flatMap((each) => findContradiction(each, newest.get(each.tenantId), this.#publicKey) ?? []),
    );
  }
}

/** Another worker may have noted a later one. Another one of the same number is of a log that was cut back in between. */
function isCovered({ number, root }: NodeCheckpoint, noted: NotedSeal): boolean {
  return noted.number > number || (noted.number === number && noted.root.equals(root));
}
