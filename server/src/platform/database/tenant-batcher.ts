import { DomainError } from '../../core/errors/domain-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { endWith, type Span } from '../telemetry/tracer.ts';
import { BatchDeadline, currentDeadline, type Deadline, GivenUpError, withDeadline } from '../waiting/deadline.ts';
import type { BatchMeter, BatchName } from './batch-meter.ts';
import { isStandbyMissing, wasRolledBack } from './database-error.ts';

export interface TenantBatcherOptions<Item, Result> {
  readonly name: BatchName;
  readonly meter: BatchMeter;
  /**
   * Handles items of one tenant together and returns the results in the same order. It either handles all of them or
   * throws. `slot` distinguishes the batches of a tenant that are in flight at the same time.
   */
  readonly run: (tenantId: TenantId, items: readonly Item[], slot: number) => Promise<readonly Result[]>;
  readonly itemsMax: number;
  /**
   * Returns the weight of an item. The default is one. An item that is heavier than `itemsMax` gets a batch of its own.
   */
  readonly sizeOf?: (item: Item) => number;
  /** The maximum weight of one tenant's waiting items. Further items are rejected immediately. */
  readonly queueMax: number;
  /** The number of one tenant's batches that may be in flight at the same time. The default is one. */
  readonly batchesMax?: number;
  /**
   * True if the batch writes what the requests asked for, false if it only writes audit records of them. True by
   * default.
   */
  readonly isChange?: boolean;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly size: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
  /** The span of the waiting request, if it is traced. */
  readonly span: Span | undefined;
  /** The deadline of the waiting request. */
  readonly deadline: Deadline | undefined;
}

/** The waiting items of a tenant, and the slots that are not in use by its batches. */
interface Lane<Item, Result> {
  readonly waiting: Waiting<Item, Result>[];
  /** The total weight of the waiting items. */
  waitingSize: number;
  readonly freeSlots: number[];
  isRemoving: boolean;
}

/**
 * Implements group commit in the application. While a batch of a tenant is in flight, new items of that tenant are
 * collected and sent as the next batch. A busy server thus makes one round trip and one commit for many requests, and
 * an idle one adds no delay. Tenants never share a batch, because each batch runs in the row-level-security scope of
 * its tenant.
 */
export class TenantBatcher<Item, Result> {
  readonly #options: TenantBatcherOptions<Item, Result>;
  readonly #lanes = new Map<TenantId, Lane<Item, Result>>();
  readonly #slots: readonly number[];
  constructor(options: TenantBatcherOptions<Item, Result>) {
    this.#options = options;
    this.#slots = Array.from({ length: options.batchesMax ?? 1 }, (_, slot) => slot);
  }

  /** Adds an item. The promise resolves when the batch with the item is committed. */
  add(tenantId: TenantId, item: Item): Promise<Result> {
    const deadline = currentDeadline();
    if (deadline?.isGivenUp === true) return Promise.reject(new GivenUpError());
    const lane = this.#laneOf(tenantId);
    if (lane.waitingSize >= this.#options.queueMax) {
      return Promise.reject(new DomainError('overloaded', 'The vault is at capacity. Try again shortly.'));
    }
    const size = this.#options.sizeOf?.(item) ?? 1;
    const { name, meter } = this.#options;
    const span = meter.tracer.begin('batch', { 'strongroom.batch': name });
    const settled = new Promise<Result>((resolve, reject) => {
      lane.waitingSize += size;
      meter.addWaiting(name, size);
      lane.waiting.push({ item, size, resolve, reject, span, deadline });
      deadline?.onGivenUp(() => this.#removeSoon(lane));
      const slot = lane.freeSlots.pop();
      // Requests that were read from their sockets in the same turn of the event loop share the first batch.
      if (slot !== undefined) setImmediate(() => void this.#drain(tenantId, lane, slot));
    });
    return endWith(span, settled);
  }

  #laneOf(tenantId: TenantId): Lane<Item, Result> {
    const known = this.#lanes.get(tenantId);
    if (known !== undefined) return known;
    const lane = { waiting: [], waitingSize: 0, freeSlots: this.#slots.toReversed(), isRemoving: false };
    this.#lanes.set(tenantId, lane);
    return lane;
  }

  async #drain(tenantId: TenantId, lane: Lane<Item, Result>, slot: number): Promise<void> {
    const { waiting, freeSlots } = lane;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, this.#countOfNext(waiting));
      this.#countOut(lane, batch);
      await this.#settle(tenantId, batch, slot);
    }
    freeSlots.push(slot);
    if (freeSlots.length === this.#slots.length) this.#lanes.delete(tenantId);
  }

  /**
   * Schedules one removal for all requests that time out in the same turn of the event loop, because each removal scans
   * the whole queue.
   */
  #removeSoon(lane: Lane<Item, Result>): void {
    if (lane.isRemoving) return;
    lane.isRemoving = true;
    queueMicrotask(() => {
      lane.isRemoving = false;
      this.#removeGivenUp(lane);
    });
  }

  /** Removes items whose requests timed out. They must neither be stored nor take up space in the queue. */
  #removeGivenUp(lane: Lane<Item, Result>): void {
    const { waiting } = lane;
    const isGivenUp = ({ deadline }: Waiting<Item, Result>) => deadline?.isGivenUp === true;
    const removed = waiting.filter(isGivenUp);
    if (removed.length === 0) return;
    waiting.splice(0, waiting.length, ...waiting.filter((one) => !isGivenUp(one)));
    this.#countOut(lane, removed);
    for (const { reject } of removed) reject(new GivenUpError());
  }

  #countOut(lane: Lane<Item, Result>, left: readonly Waiting<Item, Result>[]): void {
    const size = left.reduce((sum, waiting) => sum + waiting.size, 0);
    lane.waitingSize -= size;
    this.#options.meter.addWaiting(this.#options.name, -size);
  }

  /** Returns how many waiting items fit into one batch, at least one. */
  #countOfNext(waiting: readonly Waiting<Item, Result>[]): number {
    let size = 0;
    const end = waiting.findIndex((next, index) => {
      size += next.size;
      return index > 0 && size > this.#options.itemsMax;
    });
    return end < 0 ? waiting.length : end;
  }

  async #run(tenantId: TenantId, batch: readonly Waiting<Item, Result>[], slot: number): Promise<readonly Result[]> {
    const { name, meter, run, isChange = true } = this.#options;
    const startedAt = performance.now();
    const deadlines = batch.map(({ deadline }) => deadline);
    const items = batch.map(({ item }) => item);
    try {
      return await withDeadline(new BatchDeadline(deadlines, isChange), () =>
        meter.tracer.within(meter.tracer.isOn ? toCarrier(batch) : undefined, () => run(tenantId, items, slot)),
      );
    } finally {
      meter.finish({ name, items: batch.length, seconds: (performance.now() - startedAt) / 1_000 });
    }
  }

  /** Never throws. Failures are passed to the callers that they concern. */
  async #settle(tenantId: TenantId, batch: readonly Waiting<Item, Result>[], slot: number): Promise<void> {
    try {
      const results = await this.#run(tenantId, batch, slot);
      // A missing result is recognized by the number of results, because a result can be undefined.
      for (const [index, result] of results.entries()) batch[index]?.resolve(result);
      for (const { reject } of batch.slice(results.length))
        reject(new Error('A batch returned fewer results than it was given items.'));
    } catch (error) {
      const wanted =
        error instanceof GivenUpError ? batch.filter(({ deadline }) => deadline?.isGivenUp !== true) : batch;
      if (wanted.length < batch.length) {
        // The batch was not sent, because some requests timed out while it waited for a connection. The remaining
        // requests are sent without them.
        for (const { deadline, reject } of batch) if (deadline?.isGivenUp === true) reject(error);
        if (wanted.length > 0) await this.#settle(tenantId, wanted, slot);
        return;
      }
      // A batch is retried only if it certainly wrote nothing. It is split in halves, so that the bad item fails alone
      // and the others share few commits: a caller with bad items must not slow down everyone else in the tenant. After
      // a lost connection, or an error after the commit, its items may already be stored. If no standby is attached,
      // every retry would fail.
      if (wasRolledBack(error) && !isStandbyMissing(error) && batch.length > 1) {
        const middle = Math.ceil(batch.length / 2);
        for (const half of [batch.slice(0, middle), batch.slice(middle)]) await this.#settle(tenantId, half, slot);
      } else {
        for (const { reject } of batch) reject(error);
      }
    }
  }
}

/**
 * Returns the span under which the work of the whole batch is traced: that of the first traced request. The spans of
 * the other requests link to it. A batch is not part of the request that happens to trigger it.
 */
function toCarrier(batch: readonly Pick<Waiting<unknown, never>, 'span'>[]): Span | undefined {
  const [carrier, ...others] = batch.flatMap(({ span }) => span ?? []);
  if (carrier === undefined) return undefined;
  for (const span of [carrier, ...others]) span.set({ 'strongroom.items': batch.length });
  for (const other of others) other.link(carrier);
  return carrier;
}
