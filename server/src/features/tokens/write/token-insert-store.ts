import type { TenantId } from '../../../core/identity/ids.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import { TenantBatcher } from '../../../platform/database/tenant-batcher.ts';
import { mapInTurns } from '../../../platform/waiting/turns.ts';
import { type ContainerSetLimits, sayIfSetsAreFull } from '../model/container-set-sql.ts';
import { countSlot } from '../model/count-slot.ts';
import {
  insertFree,
  insertFreeIn,
  type InsertOutcome,
  type InsertRow,
  type InsertTarget,
  toInsertRow,
  type TokenInsert,
} from './token-insert-sql.ts';

const bytesPerItem = 16 * 1024;

/** Some of the ids are taken, so nothing was written. */
export class TakenIds extends Error {
  /** Which of the tokens have them. */
  readonly indexes: ReadonlySet<number>;

  constructor(indexes: Iterable<number>) {
    super('Some of the ids are taken.');
    this.name = 'TakenIds';
    this.indexes = new Set(indexes);
  }
}

export class TokenInsertStore {
  readonly #database: Database;
  readonly #batcher: TenantBatcher<TokenInsert, InsertOutcome>;
  readonly #groups: TenantBatcher<readonly TokenInsert[], Date>;

  constructor(database: Database, setLimits: ContainerSetLimits) {
    this.#database = database;
    this.#batcher = new TenantBatcher({
      name: 'token-create',
      meter: database.batches,
      itemsMax: 200,
      queueMax: 10_000,
      sizeOf,
      run: async (tenantId, items) =>
        insertFree(
          (statement) => this.#database.runForTenant(tenantId, statement),
          { tenantId, slot: countSlot(), setLimits },
          await mapInTurns(items, toInsertRow),
        ),
    });
    this.#groups = new TenantBatcher({
      name: 'token-group',
      meter: database.batches,
      itemsMax: 1_000,
      queueMax: 50_000,
      sizeOf: (items) => items.reduce((sum, item) => sum + sizeOf(item), 0),
      batchesMax: 2,
      // A taken id undoes the whole batch, whose groups then go one by one: only the one that has it fails.
      run: async (tenantId, groups, slot) => {
        // Before the transaction: rows can take a while to write, and others must not wait for its connection.
        const rows = await mapInTurns(groups.flat(), toInsertRow);
        const target = { tenantId, slot: countSlot(1 + slot), setLimits };
        const createdAt = await this.#database.forTenant(tenantId, (tx) =>
          insertAllIn(tx, target, [...rows.entries()]),
        );
        return groups.map(() => createdAt);
      },
    });
  }

  /** Committed together with whatever else the tenant inserts at this moment. */
  insert(item: TokenInsert): Promise<InsertOutcome> {
    return sayIfSetsAreFull(this.#batcher.add(item.token.tenantId, item));
  }

  /**
   * Inserts all of them or none: throws `TakenIds` when an id is taken, which undoes the rest. Committed together with
   * other groups of the tenant, which would otherwise wait for each other at the counter.
   */
  insertAll(tenantId: TenantId, items: readonly TokenInsert[]): Promise<Date> {
    return sayIfSetsAreFull(this.#groups.add(tenantId, items));
  }
}

/** A statement is one text: tokens with much data count for several, so that it stays a few megabytes long. */
function sizeOf({ token }: TokenInsert): number {
  return 1 + Math.floor(token.data.length / bytesPerItem);
}

/** All of them or none: a taken id is thrown as `TakenIds`, and undoes the transaction. */
export async function insertAllIn(
  tx: Transaction,
  target: InsertTarget,
  entries: readonly (readonly [index: number, row: InsertRow])[],
): Promise<Date> {
  if (entries.length === 0) return new Date(0);
  const outcomes = await insertFreeIn(
    tx,
    target,
    entries.map(([, row]) => row),
  );
  const taken = entries.filter((_, position) => outcomes[position]?.createdAt === undefined);
  if (taken.length > 0) throw new TakenIds(taken.map(([index]) => index));
  return outcomes[0]?.createdAt ?? new Date(0);
}
