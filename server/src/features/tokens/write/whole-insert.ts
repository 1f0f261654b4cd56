import type { Transaction } from '../../../platform/database/database.ts';
import { insertFreeIn, type InsertRow, type InsertTarget } from './token-insert-sql.ts';

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
