import type { LocalPostgres } from '../../server/src/platform/local-postgres/local-postgres.ts';
import { nodesByDefault } from '../../server/test/harness/nodes-by-default.ts';
import { Program } from '../../server/test/harness/program.ts';
import { createDatabase } from './create-database.ts';

/** What PostgreSQL needs for vaults with nodes. */
export const nodeSettings: Readonly<Record<string, string>> =
  nodesByDefault > 0 ? { max_prepared_transactions: '100' } : {};

/** Where a new vault finds its databases: one, or as many nodes besides as were asked for, which hold all tokens. */
export async function createVaultDatabases(
  postgres: LocalPostgres,
  name: string,
): Promise<{ readonly STRONGROOM_DATABASE_URL: string; readonly [setting: string]: string }> {
  const home = { STRONGROOM_DATABASE_URL: await createDatabase(postgres, name) };
  if (nodesByDefault === 0) return home;
  const names = Array.from({ length: nodesByDefault }, (_, index) => `node-${index + 1}`);
  const named: string[] = [];
  for (const node of names)
    named.push(`${node}=${await createDatabase(postgres, `${name}_${node.replace('-', '_')}`)}`);
  const settings = { ...home, STRONGROOM_NODES: named.join(' ') };
  const commands = [
    ['migrate'],
    ...names.map((node) => ['nodes', 'add', node]),
    ['nodes', 'balance', '--without-home'],
  ];
  for (const command of commands) {
    const { code, stderr } = await Program.run(command, settings);
    if (code !== 0) throw new Error(`strongroom ${command.join(' ')} failed: ${stderr}`);
  }
  return settings;
}
