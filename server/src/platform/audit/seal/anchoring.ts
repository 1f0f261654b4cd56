import type { Database } from '../../database/database.ts';
import type { Anchor } from './anchor.ts';
import type { SignedCheckpoint } from './checkpoint.ts';
import { SealStore } from './seal-store.ts';

/**
 * Brings checkpoints to one anchor. A root covers everything before it, so of each tenant only the newest has to arrive:
 * what waits while the anchor is away never grows beyond one for each tenant.
 */
export class Anchoring {
  readonly #anchor: Anchor;
  readonly #waiting: Map<string, SignedCheckpoint>;
  #underway: Promise<void> | undefined;
  #waitingSince = performance.now();

  /** Begins with what may not have arrived when the process before this one ended. */
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

  /** How long something has been waiting; 0 if nothing is. Under load there is always something, but never for long. */
  get lagMs(): number {
    return this.#waiting.size === 0 ? 0 : performance.now() - this.#waitingSince;
  }

  add(checkpoints: readonly SignedCheckpoint[]): void {
    if (this.#waiting.size === 0) this.#waitingSince = performance.now();
    for (const checkpoint of checkpoints) this.#waiting.set(checkpoint.tenantId, checkpoint);
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
      if (this.#waiting.get(checkpoint.tenantId) === checkpoint) this.#waiting.delete(checkpoint.tenantId);
    }
  }
}
