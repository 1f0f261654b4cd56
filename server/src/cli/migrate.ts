import { Command } from 'commander';
import { processEnvironment, readDatabaseConfig } from '../platform/config/config.ts';
import { printJson, printText } from './terminal/output.ts';

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('Create or update the schema. Safe to run at any time, even concurrently.')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Uses STRONGROOM_DATABASE_OWNER_URL if it is set, and STRONGROOM_DATABASE_URL otherwise. The role needs CREATEROLE:
it creates strongroom_app and strongroom_system, which own nothing and which the server uses.`,
    )
    .action(async (options: { json?: boolean }) => {
      const { ownerUrl } = readDatabaseConfig(processEnvironment());
      const { migrate } = await import('../platform/database/migrations/migrator.ts');
      const { applied, version } = await migrate(ownerUrl);
      if (options.json === true) printJson({ applied, version });
      else
        printText(
          applied.length === 0
            ? `The schema is up to date (version ${version}).`
            : `Applied ${applied.join(', ')}; the schema is at version ${version}.`,
        );
    });
}
