import type { Database } from '../../database/database.ts';

/** After a restore into another cluster, new records have to sort behind old ones: asked before anything is written. */
export async function ensureSealingOrderGrows(database: Database): Promise<void> {
  await database.forSystem((tx) => tx.query({ text: 'select ensure_audit_order_grows()' }));
}
