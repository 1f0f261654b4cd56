import { Command } from 'commander';
import { VaultWorker } from '../app/vault-worker.ts';
import { processEnvironment, readWorkerConfig } from '../platform/config/config.ts';
import { createLogger } from '../platform/telemetry/logger.ts';
import { printJson, printText } from './output.ts';
import { runUntilStopped } from './until-stopped.ts';

export function workCommand(): Command {
  return new Command('work')
    .description('Run background jobs until SIGTERM. Several workers share the jobs.')
    .option('--json', 'print a line of JSON when ready')
    .addHelpText(
      'after',
      `
Jobs: sealing the audit log, creating its partitions ahead of time and dropping old ones, removing expired data and what
deleted tenants left behind, marking proxy calls whose server died, mailing invitations (with STRONGROOM_SMTP_URL,
STRONGROOM_MAIL_FROM and STRONGROOM_PUBLIC_URL).
Health and metrics: /livez, /readyz?verbose and /metrics on STRONGROOM_WORKER_ADMIN_PORT (8082).
Needs STRONGROOM_DATABASE_URL and STRONGROOM_ROOT_KEY (or STRONGROOM_PKCS11_*). The queue belongs to the role that
migrated the database: if that is a different one, set STRONGROOM_DATABASE_OWNER_URL.`,
    )
    .action(async (options: { json?: boolean }) => {
      const config = readWorkerConfig(processEnvironment());
      await runUntilStopped(
        () => VaultWorker.start(config, createLogger(config.logLevel)),
        ({ adminUrl }) => {
          if (options.json === true) printJson({ status: 'working', admin_url: adminUrl });
          else printText(`Running jobs, health and metrics on ${adminUrl}.`);
        },
      );
    });
}
