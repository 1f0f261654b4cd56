import type { TenantId } from '../../../core/identity/ids.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import { TenantBatcher } from '../../../platform/database/tenant-batcher.ts';
import { mapInTurns } from '../../../platform/waiting/turns.ts';
import { type ContainerSetLimits, sayIfSetsAreFull } from '../model/container-set-sql.ts';
import { countSlot } from '../model/token-shelf.ts';
import { convertIntents } from '../intents/index.ts';
import { listConversions, type TokenInsert } from './token-insert.ts';
import { insertFree, insertFreeIn, type InsertRow, type InsertTarget, toInsertRow } from './token-insert-sql.ts';

const bytesPerItem = 16 * 1024;

/** Thrown if some of the ids are taken. Nothing was written. */
export class TakenIds extends Error {
  /** The indexes of the tokens with a taken id. */
  readonly indexes: ReadonlySet<number>;

  constructor(indexes: Iterable<number>) {
    super('Some of the ids are taken.');
    this.name = 'TakenIds';
    this.indexes = new Set(indexes);
  }
}

export class TokenInsertStore {
  readonly #database: Database;
  readonly #batcher: TenantBatcher<TokenInsert, Date | undefined>;
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
      sizeOf: weightOf,
      batchesMax: 2,
      // A taken id rolls back the whole batch. Its groups are then retried one by one, so that only the affected group
      // fails.
      run: async (tenantId, groups, slot) => {
        // Rows are prepared before the transaction, because this can take a while and would block its connection for
        // others.
        const rows = await mapInTurns(groups.flat(), toInsertRow);
        const target = { tenantId, slot: countSlot(1 + slot), setLimits };
        const createdAt = await this.#database.forTenant(tenantId, async (tx) => {
          await convertIntents(tx, tenantId, listConversions(groups.flat()));
          return insertAllIn(tx, target, [...rows.entries()]);
        });
        return groups.map(() => createdAt);
      },
    });
  }

  /**
   * Inserts a token and returns its creation time, or undefined if its id is taken. Concurrent inserts of the same
   * tenant share a commit.
   */
  insert(item: TokenInsert): Promise<Date | undefined> {
    return sayIfSetsAreFull(this.#batcher.add(item.token.tenantId, item));
  }

  /**
   * Inserts all tokens or none. Throws `TakenIds` if an id is taken, and rolls back the other tokens. Groups of the
   * same tenant share a commit, because they would otherwise wait for each other to update the counter.
   */
  insertAll(tenantId: TenantId, items: readonly TokenInsert[]): Promise<Date> {
    return sayIfSetsAreFull(this.#groups.add(tenantId, items));
  }
}

/** Returns the weight of the tokens of a request in a batch. */
export function weightOf(items: readonly TokenInsert[]): number {
  return items.reduce((sum, item) => sum + sizeOf(item), 0);
}

/**
 * Returns the weight of a token in a batch. Tokens with much data count as several, so that the statement text stays
 * within a few megabytes.
 */
function sizeOf({ token }: TokenInsert): number {
  return 1 + Math.floor(token.data.length / bytesPerItem);
}

/** Inserts all rows or none. Throws `TakenIds` if an id is taken, which rolls back the transaction. */
export async function insertAllIn(
  tx: Transaction,
  target: InsertTarget,
  entries: readonly (readonly [index: number, row: InsertRow])[],
): Promise<Date> {
  if (entries.length === 0) return new Date(0);
  const times = await insertFreeIn(
    tx,
    target,
    entries.map(([, row]) => row),
  );
  const taken = entries.filter((_, position) => times[position] === undefined);
  if (taken.length > 0) throw new TakenIds(taken.map(([index]) => index));
  return times[0] ?? new Date(0);
}
