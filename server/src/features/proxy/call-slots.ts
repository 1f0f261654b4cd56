import { DomainError } from '../../core/errors/domain-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';

/** How many calls each tenant has under way in this process. There is no queue: one more is turned away at once. */
export class CallSlots {
  readonly #callsMax: number;
  readonly #taken = new Map<TenantId, number>();

  constructor(callsMax: number) {
    this.#callsMax = callsMax;
  }

  /** Takes a slot; the answer gives it back, once. */
  take(tenantId: TenantId): () => void {
    const taken = this.#taken.get(tenantId) ?? 0;
    if (taken >= this.#callsMax) {
      throw new DomainError(
        'too-many-calls',
        `A tenant has at most ${this.#callsMax} proxy calls under way at a time.`,
      );
    }
    this.#taken.set(tenantId, taken + 1);
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      const left = (this.#taken.get(tenantId) ?? 1) - 1;
      if (left === 0) this.#taken.delete(tenantId);
      else this.#taken.set(tenantId, left);
    };
  }

  get count(): number {
    return [...this.#taken.values()].reduce((sum, taken) => sum + taken, 0);
  }
}
