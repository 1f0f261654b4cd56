import type { ReadinessCheck } from '../http/admin-edge.ts';
import type { Database } from '../platform/database/database.ts';

/** The database answers, and to the role that it is asked as. */
export function databaseCheck(database: Database): ReadinessCheck {
  const check = async () => void (await database.forSystem((tx) => tx.query({ text: 'select 1' })));
  return { name: 'database', check };
}
