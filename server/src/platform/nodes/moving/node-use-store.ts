import type { Transaction } from '../../database/database.ts';
import { processNames } from '../process-name.ts';

/** How many connections to this database are of processes that know other nodes than those of this name do. */
export async function countStrangers(tx: Transaction, processName: string): Promise<number> {
  const [row] = await tx.query<{ strangers: number }>({
    text: `select count(*)::integer as strangers from pg_stat_activity
      where datname = current_database() and application_name <> $1
        and (application_name = $2 or starts_with(application_name, $3))`,
    values: [processName, processNames.plain, processNames.withNodes],
  });
  return row?.strangers ?? 0;
}

/** From now on, tokens may lie on these. Returns those of which that is new. */
export async function beginUse(tx: Transaction, names: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ name: string }>({
    text: 'update vault_nodes set is_used = true where name = any($1) and not is_used returning name',
    values: [names],
  });
  return rows.map(({ name }) => name);
}

export async function endUse(tx: Transaction, names: readonly string[]): Promise<void> {
  await tx.query({ text: 'update vault_nodes set is_used = false where name = any($1)', values: [names] });
}
