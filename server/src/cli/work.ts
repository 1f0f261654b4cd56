import { Command } from 'commander';
import { VaultWorker } from '../app/vault-worker.ts';
import { processEnvironment, readVaultConfig } from '../platform/config/config.ts';
import { createLogger } from '../platform/telemetry/logger.ts';
import { printJson, printText } from './output.ts';
import { runUntilStopped } from './until-stopped.ts';

export function workCommand(): Command {
  return new Command('work')
    .description('Do background jobs until SIGTERM. Several workers share the work.')
    .option('--json', 'print one line of JSON when ready')
    .addHelpText(
      'after',
      `
Jobs: removing what deleted tenants left behind, making the audit log's partitions ahead of time, marking proxy calls
whose server died.
Needs STRONGROOM_DATABASE_URL and STRONGROOM_ROOT_KEY (or STRONGROOM_PKCS11_*). The queue belongs to the role that
migrated the database: set STRONGROOM_DATABASE_OWNER_URL where that is another one.`,
    )
    .action(async (options: { json?: boolean }) => {
      const config = readVaultConfig(processEnvironment());
      await runUntilStopped(
        () => VaultWorker.start(config, createLogger(config.logLevel)),
        () => {
          if (options.json === true) printJson({ status: 'working' });
          else printText('Working.');
        },
      );
    });
}
