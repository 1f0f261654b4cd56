import { Command } from 'commander';
import { processEnvironment, readServerConfig, readStaysWhenRefused } from '../platform/config/config.ts';
import { printJson, printText } from './terminal/output.ts';
import { runUntilStopped } from './terminal/until-stopped.ts';

const adminSettings = { host: 'STRONGROOM_ADMIN_HOST', port: 'STRONGROOM_ADMIN_PORT' };

export function serveCommand(): Command {
  return new Command('serve')
    .description('Serve API requests until SIGTERM, then finish the ones in progress.')
    .option('--json', 'print a line of JSON when ready')
    .addHelpText(
      'after',
      `
Needs three settings: STRONGROOM_DATABASE_URL, STRONGROOM_ROOT_KEY (or another root key), STRONGROOM_PUBLIC_URL.
People sign in at /portal/; the STRONGROOM_OPENID_* settings add an OpenID provider.
Refuses to start with an outdated schema (run \`strongroom migrate\`) or the wrong root key.
Health and metrics: /livez, /readyz?verbose and /metrics on STRONGROOM_ADMIN_PORT (8081).
On SIGTERM it reports unready and still serves for STRONGROOM_DRAIN_DELAY_SECONDS (5), so that load balancers notice,
then finishes the requests in progress within STRONGROOM_DRAIN_TIMEOUT_SECONDS (20). A second signal ends it at once.`,
    )
    .action(async (options: { json?: boolean }) => {
      const config = readServerConfig(processEnvironment());
      await runUntilStopped(
        async () => {
          const { VaultServer } = await import('../app/serve/vault-server.ts');
          const { createLogger } = await import('../platform/telemetry/logger.ts');
          const logger = createLogger(config.logLevel);
          const start = () => VaultServer.start(config, logger);
          if (!readStaysWhenRefused(processEnvironment())) return start();
          const { RefusedStart } = await import('../app/serve/refused-start.ts');
          const admin = { host: config.listen.adminHost, port: config.listen.adminPort, settings: adminSettings };
          return RefusedStart.startOrStay(start, { admin, logger });
        },
        (running) => {
          if (!('adminUrl' in running)) return;
          const { url, adminUrl } = running;
          if (options.json === true) printJson({ url, admin_url: adminUrl });
          else printText(`Serving on ${url}, health and metrics on ${adminUrl}.`);
        },
      );
    });
}
