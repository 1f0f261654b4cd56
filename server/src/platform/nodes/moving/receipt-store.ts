import type { Transaction } from '../../database/database.ts';
import type { DrawerMove } from './drawer-move.ts';

/**
 * Says that this database holds the drawers of the move, in the transaction since which it does. `counts`: the tokens that have arrived,
 * as JSON text.
 */
export async function insertReceipt(tx: Transaction, { id }: DrawerMove, counts: string): Promise<void> {
  await tx.query({
    text: 'insert into drawer_receipts (move_id, counts) values ($1, $2::jsonb)',
    values: [id, counts],
  });
}

/** Writes it once more: with this commit it is as durable as any, whatever became of the commit that it was written with. */
export async function confirmReceipt(tx: Transaction, { id }: DrawerMove): Promise<void> {
  await tx.query({ text: 'update drawer_receipts set move_id = move_id where move_id = $1', values: [id] });
}

/** The tokens that have arrived; undefined if this database has never come to hold the drawers, whatever it has done with them since. */
export async function findReceivedCounts(tx: Transaction, { id }: DrawerMove): Promise<string | undefined> {
  const [row] = await tx.query<{ counts: string }>({
    text: 'select counts::text from drawer_receipts where move_id = $1',
    values: [id],
  });
  return row?.counts;
}
