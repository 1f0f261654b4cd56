import { drawerOf } from '../../src/platform/nodes/drawers.ts';
import type { TestDatabase } from './test-database.ts';
import type { TestVault } from './test-vault.ts';

/** The first node of a vault that has two, or the second. */
export type Place = 0 | 1;

/** An id that lies there. */
export function idOn(place: Place): string {
  for (;;) {
    const id = crypto.randomUUID();
    if (drawerOf(id) % 2 === place) return id;
  }
}

export function nodeAt(vault: TestVault, place: Place): TestDatabase {
  const node = vault.nodes[place];
  if (node === undefined) throw new Error('There is no such node.');
  return node.database;
}

/** Ends the sessions of servers in a database. */
export async function cutServers(database: TestDatabase): Promise<void> {
  await database.owner.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name ~ '^strongroom(/|$)'`,
  );
}
