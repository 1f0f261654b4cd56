import type { Database } from '../../database/database.ts';

/**
 * Ensures that, after a restore into another cluster, new records sort after existing ones. It must run before any
 * record is written.
 */
export async function ensureSealingOrderGrows(database: Database): Promise<void> {
  await database.forSystem((tx) => tx.query({ text: 'select ensure_audit_order_grows()' }));
}
