import type { Transaction } from './database.ts';

/**
 * The numbers of the vault's advisory locks in PostgreSQL. They must not change, because every version takes the same
 * locks.
 */
const locks = { 'seal-lock': 7_120_460_352, 'facets-lock': 7_120_460_353, 'watch-lock': 7_120_460_354 } as const;

/** Takes a lock until the end of the transaction. Returns false if another session holds it. */
export async function takeLock(tx: Transaction, name: keyof typeof locks): Promise<boolean> {
  const [row] = await tx.query<{ locked: boolean }>({
    name,
    text: 'select pg_try_advisory_xact_lock($1) as locked',
    values: [locks[name]],
  });
  return row?.locked === true;
}
