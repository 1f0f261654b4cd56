import type { Database } from '../database/database.ts';
import type { Anchor } from './anchor.ts';
import { nameOfTree } from '../../core/audit/log-tree.ts';
import type { SignedCheckpoint } from './checkpoint.ts';
import { SealStore } from './seal-store.ts';

/** A database with audit records, as the role that seals them; `node` is its name, unless it is the home database. */
export interface SealedDatabase {
  readonly node?: string | undefined;
  readonly database: Database;
}

/**
 * Brings checkpoints to one anchor. A root covers everything before it, so of each tree only the newest has to arrive:
 * what waits while the anchor is away never grows beyond one for each tree.
 */
export class Anchoring {
  readonly #anchor: Anchor;
  readonly #waiting: Map<string, SignedCheckpoint>;
  #underway: Promise<void> | undefined;
  #waitingSince = performance.now();

  /** Begins with what may not have arrived when the process before this one ended. */
  static async start(logs: readonly SealedDatabase[], anchor: Anchor): Promise<Anchoring> {
    const newest = await Promise.all(
      logs.map(({ database, node }) => database.forSealer((tx) => new SealStore(tx, node).listNewest())),
    );
    return new Anchoring(anchor, new Map(newest.flat().map((checkpoint) => [nameOfTree(checkpoint), checkpoint])));
  }

  private constructor(anchor: Anchor, waiting: Map<string, SignedCheckpoint>) {
    this.#anchor = anchor;
    this.#waiting = waiting;
  }

  get name(): string {
    return this.#anchor.name;
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** How long something has been waiting; 0 if nothing is. Under load there is always something, but never for long. */
  get lagMs(): number {
    return this.#waiting.size === 0 ? 0 : performance.now() - this.#waitingSince;
  }

  add(checkpoints: readonly SignedCheckpoint[]): void {
    if (this.#waiting.size === 0) this.#waitingSince = performance.now();
    for (const checkpoint of checkpoints) this.#waiting.set(nameOfTree(checkpoint), checkpoint);
  }

  /** Throws when the anchor did not take them; they stay. One delivery at a time: anyone who comes meanwhile joins it. */
  deliver(): Promise<void> {
    this.#underway ??= this.#deliver().finally(() => {
      this.#underway = undefined;
    });
    return this.#underway;
  }

  async #deliver(): Promise<void> {
    const checkpoints = [...this.#waiting.values()];
    if (checkpoints.length === 0) return;
    const startedAt = performance.now();
    await this.#anchor.append(checkpoints);
    this.#waitingSince = startedAt;
    for (const checkpoint of checkpoints) {
      const tree = nameOfTree(checkpoint);
      if (this.#waiting.get(tree) === checkpoint) this.#waiting.delete(tree);
    }
  }
}
