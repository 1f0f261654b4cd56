import type { ReadinessCheck } from '../http/admin-edge.ts';
import type { Database } from '../platform/database/database.ts';

/** The database responds, and to the expected role. */
export function databaseCheck(database: Database): ReadinessCheck {
  const check = async () => void (await database.forSystem((tx) => tx.query({ text: 'select 1' })));
  return { name: 'database', check };
}
