import type { Database } from './database.ts';

/** Throws unless the database responds and allows this login to use the system role. */
export async function requireAnswer(database: Database): Promise<void> {
  await database.forSystem((tx) => tx.query({ text: 'select 1' }));
}
