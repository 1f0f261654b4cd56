import type { Database } from './database.ts';

/**
 * Throws unless the database accepts changes. A connection that is already open sees a change of the server's setting.
 */
export async function requireWritable(database: Database): Promise<void> {
  const [row] = await database.forSystem((tx) =>
    tx.query<{ isReadOnly: boolean }>({
      text: `select current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
    }),
  );
  if (row?.isReadOnly !== false) throw new Error('The database is read-only.');
}

/** Throws unless the database responds and allows this login to use the system role. */
export async function requireAnswer(database: Database): Promise<void> {
  await database.forSystem((tx) => tx.query({ text: 'select 1' }));
}
