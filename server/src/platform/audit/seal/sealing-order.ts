import type { Database } from '../../database/database.ts';

/**
 * Makes new records sort after old ones following a restore into another cluster. It must run before anything is
 * written.
 */
export async function ensureSealingOrderGrows(database: Database): Promise<void> {
  await database.forSystem((tx) => tx.query({ text: 'select ensure_audit_order_grows()' }));
}
