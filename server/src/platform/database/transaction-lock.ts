import type { Transaction } from './database.ts';

/** Chosen once: the numbers of our locks in PostgreSQL, which every version takes. */
const locks = { 'seal-lock': 7_120_460_352, 'facets-lock': 7_120_460_353, 'watch-lock': 7_120_460_354 } as const;

/** Takes a lock until the end of the transaction; false if somebody else holds it. */
export async function takeLock(tx: Transaction, name: keyof typeof locks): Promise<boolean> {
  const [row] = await tx.query<{ locked: boolean }>({
    name,
    text: 'select pg_try_advisory_xact_lock($1) as locked',
    values: [locks[name]],
  });
  return row?.locked === true;
}
