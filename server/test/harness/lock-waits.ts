import type pg from 'pg';

/** Returns how many statements in this database are waiting for a lock. */
export async function countLockWaits(database: Pick<pg.Pool, 'query'>): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0]?.count ?? 0;
}
