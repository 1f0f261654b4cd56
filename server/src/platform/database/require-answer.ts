import type { Database } from './database.ts';

/** Throws unless the database answers, and to the role that it is asked as. */
export async function requireAnswer(database: Database): Promise<void> {
  await database.forSystem((tx) => tx.query({ text: 'select 1' }));
}
