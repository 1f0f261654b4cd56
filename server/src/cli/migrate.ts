import { Command } from 'commander';
import { processEnvironment, readDatabaseConfig } from '../platform/config/config.ts';
import type { MigrationReport } from '../platform/database/migrator.ts';
import { listOwnedNodes } from '../platform/config/owned-nodes.ts';
import { printJson, printText } from './output.ts';

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('Create or update the schema. Safe to run at any time, even concurrently.')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Uses STRONGROOM_DATABASE_OWNER_URL if it is set, and STRONGROOM_DATABASE_URL otherwise. The role needs CREATEROLE:
it creates strongroom_app and strongroom_system, which own nothing and which the server uses. The databases in
STRONGROOM_NODES are migrated as well.`,
    )
    .action(async (options: { json?: boolean }) => {
      const [home, ...nodes] = listOwnedNodes(readDatabaseConfig(processEnvironment()));
      const { migrate } = await import('../platform/database/migrator.ts');
      const { aboutNode } = await import('../platform/nodes/about-node.ts');
      const report = await migrate(home.ownerUrl);
      const reports = new Map<string, MigrationReport>();
      for (const { name, ownerUrl } of nodes) reports.set(name, await aboutNode(name, () => migrate(ownerUrl)));
      if (options.json === true)
        printJson({ ...report, ...(nodes.length === 0 ? {} : { nodes: Object.fromEntries(reports) }) });
      else {
        printText(describe(report));
        for (const [name, one] of reports) printText(`${name}: ${describe(one)}`);
      }
    });
}

function describe({ applied, version }: MigrationReport): string {
  return applied.length === 0
    ? `The schema is up to date (version ${version}).`
    : `Applied ${applied.join(', ')}; the schema is at version ${version}.`;
}
