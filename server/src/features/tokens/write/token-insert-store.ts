import type { TenantId } from '../../../core/identity/ids.ts';
import type { Database } from '../../../platform/database/database.ts';
import { TenantBatcher } from '../../../platform/database/tenant-batcher.ts';
import type { Nodes, PerNode } from '../../../platform/nodes/nodes.ts';
import { retryOutdated } from '../../../platform/nodes/retry-outdated.ts';
import { groupByNode, insertJointly } from './joint-insert.ts';
import { insertAllIn } from './whole-insert.ts';
import { mapInTurns } from '../../../platform/waiting/turns.ts';
import type { ContainerSetLimits } from '../model/container-set-limit.ts';
import { sayIfSetsAreFull } from '../model/container-set-sql.ts';
import { countSlot, jointCountSlot } from '../model/count-slot.ts';
import {
  insertFree,
  type InsertOutcome,
  type InsertTarget,
  toInsertRow,
  type TokenInsert,
} from './token-insert-sql.ts';

const bytesPerItem = 16 * 1024;

export class TokenInsertStore {
  readonly #nodes: Nodes;
  readonly #setLimits: ContainerSetLimits;
  readonly #batchers: PerNode<TenantBatcher<TokenInsert, InsertOutcome>>;
  readonly #groups: PerNode<TenantBatcher<readonly TokenInsert[], Date>>;

  constructor(nodes: Nodes, setLimits: ContainerSetLimits) {
    const meter = nodes.home.database.batches;
    this.#nodes = nodes;
    this.#setLimits = setLimits;
    this.#batchers = nodes.each(
      ({ database }) =>
        new TenantBatcher({
          name: 'token-create',
          meter,
          itemsMax: 200,
          queueMax: 10_000,
          sizeOf,
          run: async (tenantId, items) =>
            insertFree(
              (statement) => database.runForTenant(tenantId, statement),
              { tenantId, slot: countSlot(), setLimits },
              await mapInTurns(items, toInsertRow),
            ),
        }),
    );
    this.#groups = nodes.each(
      ({ database }) =>
        new TenantBatcher({
          name: 'token-group',
          meter,
          itemsMax: 1_000,
          queueMax: 50_000,
          sizeOf: (items) => items.reduce((sum, item) => sum + sizeOf(item), 0),
          batchesMax: 2,
          run: (tenantId, groups, slot) =>
            insertGroups(database, { tenantId, slot: countSlot(1 + slot), setLimits }, groups),
        }),
    );
  }

  /** Committed together with whatever else the tenant inserts at this moment. */
  insert(item: TokenInsert): Promise<InsertOutcome> {
    const { tenantId, id, createdBy } = item.token;
    return sayIfSetsAreFull(
      this.#nodes.at({ tenantId, key: id, by: createdBy }, (node) => this.#batchers.of(node).add(tenantId, item)),
    );
  }

  /**
   * Inserts all of them or none: throws `TakenIds` when an id is taken, which undoes the rest. Committed together with
   * other groups of the tenant, which would otherwise wait for each other at the counter. Tells when each was created, in their
   * order: in one instant, unless their ids lie on several nodes.
   */
  insertAll(tenantId: TenantId, items: readonly TokenInsert[]): Promise<readonly Date[]> {
    const [first] = items;
    if (first === undefined) return Promise.resolve([]);
    return sayIfSetsAreFull(retryOutdated(this.#nodes, () => this.#insertAll(tenantId, items, first)));
  }

  async #insertAll(tenantId: TenantId, items: readonly TokenInsert[], first: TokenInsert): Promise<readonly Date[]> {
    const places = this.#nodes.isAlone ? undefined : await groupByNode(this.#nodes, items);
    if (places !== undefined && places.size > 1) {
      return insertJointly(this.#nodes, places, { tenantId, slot: jointCountSlot(), setLimits: this.#setLimits });
    }
    const { id, createdBy } = first.token;
    const createdAt = await this.#nodes.at({ tenantId, key: id, by: createdBy }, (node) =>
      this.#groups.of(node).add(tenantId, items),
    );
    return items.map(() => createdAt);
  }
}

/** A taken id undoes the whole batch, whose groups then go one by one: only the one that has it fails. */
async function insertGroups(
  database: Database,
  target: InsertTarget,
  groups: readonly (readonly TokenInsert[])[],
): Promise<Date[]> {
  // Before the transaction: rows can take a while to write, and others must not wait for its connection.
  const rows = await mapInTurns(groups.flat(), toInsertRow);
  const createdAt = await database.forTenant(target.tenantId, (tx) => insertAllIn(tx, target, [...rows.entries()]));
  return groups.map(() => createdAt);
}

/** A statement is one text: tokens with much data count for several, so that it stays a few megabytes long. */
function sizeOf({ token }: TokenInsert): number {
  return 1 + Math.floor(token.data.length / bytesPerItem);
}
