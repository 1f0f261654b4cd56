/**
 * Shares the slots of a worker among tenants. A tenant gets another slot while it holds fewer than half of those that are
 * free. Tenants whose runs take long therefore leave slots to tenants that hold none: of n such tenants, each comes to
 * hold one part of n + 2. One tenant alone can take a third of the slots.
 */
export class SlotShares {
  readonly #slots: number;
  readonly #held = new Map<string, number>();
  #taken = 0;

  constructor(slots: number) {
    this.#slots = slots;
  }

  /** Counts a slot that a run has taken. A run that belongs to no tenant shares with nobody. */
  take(tenantId: string | undefined): void {
    this.#taken += 1;
    if (tenantId !== undefined) this.#held.set(tenantId, (this.#held.get(tenantId) ?? 0) + 1);
  }

  release(tenantId: string | undefined): void {
    this.#taken -= 1;
    if (tenantId === undefined) return;
    const held = (this.#held.get(tenantId) ?? 0) - 1;
    if (held > 0) this.#held.set(tenantId, held);
    else this.#held.delete(tenantId);
  }

  get #free(): number {
    return Math.max(0, this.#slots - this.#taken);
  }

  /** The tenants that get no further slot for now. */
  get full(): string[] {
    const free = this.#free;
    return [...this.#held].filter(([, held]) => held >= free / 2).map(([tenantId]) => tenantId);
  }

  /**
   * How many jobs can be taken at once from tenants that are not full. Even if all of them belong to one tenant, it does
   * not get more than its share. 0 if no slot is free.
   */
  get takeMax(): number {
    const free = this.#free;
    const most = Math.max(0, ...[...this.#held.values()].filter((held) => held < free / 2));
    return Math.min(free, Math.max(1, Math.floor((free - 2 * most) / 3)));
  }
}
