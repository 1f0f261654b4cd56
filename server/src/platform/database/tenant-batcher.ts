import { DomainError } from '../../core/errors/domain-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';

export interface TenantBatcherOptions<Item, Result> {
  /** Handles items of one tenant together and answers in their order. It either does all of them or throws. */
  readonly run: (tenantId: TenantId, items: readonly Item[]) => Promise<readonly Result[]>;
  readonly itemsMax: number;
  /** How many an item counts for; one where it is left out. An item that counts for more than `itemsMax` goes alone. */
  readonly sizeOf?: (item: Item) => number;
  /** Items that may wait over all tenants, each as many as it counts for; one more is turned away at once. */
  readonly queueMax: number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly size: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Group commit in the application. While one batch of a tenant is on its way, whatever arrives for that tenant is
 * collected and leaves as the next one, so a busy server makes one round trip and one commit for many requests and an
 * idle one adds no delay. Tenants never share a batch: each batch runs in the row-level-security scope of its own.
 */
export class TenantBatcher<Item, Result> {
  readonly #options: TenantBatcherOptions<Item, Result>;
  readonly #lanes = new Map<TenantId, Waiting<Item, Result>[]>();
  #waitingCount = 0;

  constructor(options: TenantBatcherOptions<Item, Result>) {
    this.#options = options;
  }

  /** Answers once the batch that carried the item is committed. */
  add(tenantId: TenantId, item: Item): Promise<Result> {
    if (this.#waitingCount >= this.#options.queueMax) {
      return Promise.reject(
        new DomainError('overloaded', 'The vault is handling as many requests as it can. Try again shortly.'),
      );
    }
    const size = this.#options.sizeOf?.(item) ?? 1;
    return new Promise((resolve, reject) => {
      this.#waitingCount += size;
      const lane = this.#lanes.get(tenantId);
      if (lane !== undefined) {
        lane.push({ item, size, resolve, reject });
        return;
      }
      const opened = [{ item, size, resolve, reject }];
      this.#lanes.set(tenantId, opened);
      // Requests that were read from their sockets in the same turn of the event loop share the first batch.
      setImmediate(() => void this.#drain(tenantId, opened));
    });
  }

  async #drain(tenantId: TenantId, lane: Waiting<Item, Result>[]): Promise<void> {
    while (lane.length > 0) {
      const batch = lane.splice(0, this.#countOfNext(lane));
      for (const { size } of batch) this.#waitingCount -= size;
      await this.#settle(tenantId, batch);
    }
    this.#lanes.delete(tenantId);
  }

  /** How many of those that wait fit into one batch; at least one. */
  #countOfNext(lane: readonly Waiting<Item, Result>[]): number {
    let size = 0;
    const end = lane.findIndex((waiting, index) => {
      size += waiting.size;
      return index > 0 && size > this.#options.itemsMax;
    });
    return end < 0 ? lane.length : end;
  }

  /** Never throws: every failure goes to the callers it belongs to. */
  async #settle(tenantId: TenantId, batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.run(
        tenantId,
        batch.map(({ item }) => item),
      );
      batch.forEach(({ resolve, reject }, index) => {
        const result = results[index];
        if (result === undefined) reject(new Error('A batch answered fewer items than it was given.'));
        else resolve(result);
      });
    } catch (error) {
      // A lost connection leaves it open whether the batch was committed, so it must not run again; a refused
      // statement wrote nothing, so its items go one by one and the bad one fails alone.
      const isRefused = !(error instanceof DomainError);
      if (isRefused && batch.length > 1) {
        for (const single of batch) await this.#settle(tenantId, [single]);
      } else {
        for (const { reject } of batch) reject(error);
      }
    }
  }
}
