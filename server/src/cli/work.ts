import { Command } from 'commander';
import { processEnvironment, readWorkerConfig, readStaysWhenRefused } from '../platform/config/config.ts';
import { printJson, printText } from './terminal/output.ts';
import { runUntilStopped } from './terminal/until-stopped.ts';

const adminSettings = { host: 'STRONGROOM_ADMIN_HOST', port: 'STRONGROOM_WORKER_ADMIN_PORT' };

export function workCommand(): Command {
  return new Command('work')
    .description('Run background jobs until SIGTERM. Several workers share the jobs.')
    .option('--json', 'print a line of JSON when ready')
    .addHelpText(
      'after',
      `
Jobs: sealing the audit log, creating its partitions ahead of time and dropping old ones, removing expired data and what
deleted tenants left behind, marking proxy calls whose server died, mailing invitations (with STRONGROOM_SMTP_URL,
STRONGROOM_MAIL_FROM and STRONGROOM_PUBLIC_URL), keeping evidence of each month (with STRONGROOM_AUDIT_ARCHIVE and
STRONGROOM_EVIDENCE_MONTHS).
Health and metrics: /livez, /readyz?verbose and /metrics on STRONGROOM_WORKER_ADMIN_PORT (8082).
Needs STRONGROOM_DATABASE_URL and STRONGROOM_ROOT_KEY (or another root key). Taking jobs and
sealing need the role that migrated the database: set STRONGROOM_DATABASE_OWNER_URL where that is another one.`,
    )
    .action(async (options: { json?: boolean }, command: Command) => {
      const config = readWorkerConfig(processEnvironment());
      await runUntilStopped(
        async () => {
          const { VaultWorker } = await import('../app/serve/vault-worker.ts');
          const { createLogger } = await import('../platform/telemetry/logger.ts');
          const logger = createLogger(config.logLevel);
          const program = { environment: processEnvironment(), version: command.version() ?? '' };
          const start = () => VaultWorker.start(config, logger, { program });
          if (!readStaysWhenRefused(processEnvironment())) return start();
          const { RefusedStart } = await import('../app/serve/refused-start.ts');
          const admin = { ...config.admin, settings: adminSettings };
          return RefusedStart.startOrStay(start, { admin, logger });
        },
        (running) => {
          if (!('adminUrl' in running)) return;
          const { adminUrl } = running;
          if (options.json === true) printJson({ status: 'working', admin_url: adminUrl });
          else printText(`Running jobs, health and metrics on ${adminUrl}.`);
        },
      );
    });
}
