import type { TenantId } from '../../core/identity/ids.ts';
import { askEachNode } from '../../platform/nodes/ask-each-node.ts';
import type { Nodes, VaultNode } from '../../platform/nodes/nodes.ts';
import type { TimeBudget } from '../../platform/waiting/time-budget.ts';
import type { LogFilter, LogSlice } from './log.ts';
import { compareNewest } from './log-cursor.ts';
import type { LogSource, PlacedSlice } from './log-source.ts';
import { isInOrder, LogStore } from './log-store.ts';
import type { Counted } from './log-walk.ts';

/** The log of a tenant whose records lie on several nodes, each of which is asked for its own. Records never move. */
export class MergedLog implements LogSource {
  readonly #nodes: Nodes;
  readonly #tenantId: TenantId;

  constructor(nodes: Nodes, tenantId: TenantId) {
    this.#nodes = nodes;
    this.#tenantId = tenantId;
  }

  async list(filter: LogFilter, slice: PlacedSlice, budget: TimeBudget): Promise<LogSlice> {
    const { offset, limit, after } = slice;
    if (offset > 0 && after === undefined && isInOrder(filter)) return this.#listBehind(filter, slice, budget);
    // Any node may hold everything up to the end of the slice, so each is asked for that much.
    const end = offset + limit;
    const parts = await this.#ask((store) => store.list(filter, { offset: 0, limit: end, after }, budget));
    const { logs, ...rest } = mergeSlices(parts);
    return { logs: logs.slice(offset, end), ...rest };
  }

  /** Finds the last record before the page by its place alone: of those before, nothing else has to be read. */
  async #listBehind(filter: LogFilter, { offset, limit }: PlacedSlice, budget: TimeBudget): Promise<LogSlice> {
    const parts = await this.#ask((store) => store.listPlaces(filter, offset));
    const after = parts.flat().toSorted(compareNewest)[offset - 1];
    return after === undefined ? { logs: [] } : this.list(filter, { offset: 0, limit, after }, budget);
  }

  async count(filter: LogFilter, budget: TimeBudget): Promise<Counted> {
    const parts = await this.#ask((store) => store.count(filter, budget));
    return {
      total: parts.reduce((sum, { total }) => sum + total, 0),
      isExact: parts.every(({ isExact }) => isExact),
    };
  }

  async findKeptSince(): Promise<Date> {
    const parts = await this.#ask(async (store, node) => {
      const since = await store.findKeptSince();
      // A node that was added later has months from then on only, and has dropped nothing by that.
      return node === this.#nodes.home || (await store.hasSealedBefore(since)) ? since.getTime() : 0;
    });
    return new Date(Math.max(...parts));
  }

  #ask<T>(work: (store: LogStore, node: VaultNode) => Promise<T>): Promise<T[]> {
    return askEachNode(this.#nodes, (node) =>
      node.database.forTenant(this.#tenantId, (tx) => work(new LogStore(tx, this.#tenantId), node)),
    );
  }
}

/**
 * The records of several slices, newest first. Each slice holds everything from its last record on, or from where its search has
 * stopped: behind the latest stop there may be records that have not been found yet, so nothing of that time is told.
 */
export function mergeSlices(parts: readonly LogSlice[]): LogSlice {
  const [stoppedAt] = parts.flatMap((part) => part.stoppedAt ?? []).toSorted(compareNewest);
  const logs = parts.flatMap((part) => part.logs).toSorted(compareNewest);
  if (stoppedAt === undefined) return { logs };
  return { logs: logs.filter(({ createdAt }) => createdAt >= stoppedAt.createdAt), stoppedAt };
}
