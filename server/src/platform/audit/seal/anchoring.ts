import type { Database } from '../../database/database.ts';
import type { Anchor } from './anchor.ts';
import type { SignedCheckpoint } from './checkpoint.ts';
import { SealStore } from './seal-store.ts';

/**
 * Delivers checkpoints to one anchor. A root covers everything before it, so only the newest checkpoint of each tenant
 * has to be delivered. While the anchor is unreachable, at most one checkpoint per tenant is pending.
 */
export class Anchoring {
  readonly #anchor: Anchor;
  readonly #waiting: Map<string, SignedCheckpoint>;
  #underway: Promise<void> | undefined;
  #waitingSince = performance.now();

  /** Starts with the newest checkpoints, which the previous process may not have delivered before it ended. */
  static async start(database: Database, anchor: Anchor): Promise<Anchoring> {
    const newest = await database.forSealer((tx) => new SealStore(tx).listNewest());
    return new Anchoring(anchor, new Map(newest.map((checkpoint) => [checkpoint.tenantId, checkpoint])));
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

  /**
   * How long checkpoints have been pending, in milliseconds. 0 if none is pending. Under load there is always a pending
   * checkpoint, but never for long.
   */
  get lagMs(): number {
    return this.#waiting.size === 0 ? 0 : performance.now() - this.#waitingSince;
  }

  add(checkpoints: readonly SignedCheckpoint[]): void {
    if (this.#waiting.size === 0) this.#waitingSince = performance.now();
    for (const checkpoint of checkpoints) this.#waiting.set(checkpoint.tenantId, checkpoint);
  }

  /**
   * Delivers the pending checkpoints. If the anchor does not accept them, this throws and keeps them. Deliveries run
   * one at a time, and concurrent callers share a delivery.
   */
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
      if (this.#waiting.get(checkpoint.tenantId) === checkpoint) this.#waiting.delete(checkpoint.tenantId);
    }
  }
}
