import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import type { DevelopmentVault } from '../app/development-vault.ts';
import { processEnvironment, readDevelopmentConfig } from '../platform/config/config.ts';
import { printJson, printText } from './output.ts';
import { runUntilStopped } from './until-stopped.ts';

interface DevOptions {
  readonly port: number;
  readonly data?: string;
  readonly json?: boolean;
}

export function devCommand(): Command {
  return new Command('dev')
    .description('Start a complete vault for development: database, tenant, keys, server and worker.')
    .option('--port <port>', 'port to listen on; 0 picks a free one', parsePort, 8080)
    .option(
      '--data <directory>',
      'keep the database, root key and API keys here for the next run; without it, everything is deleted on exit',
    )
    .option('--json', 'print a line of JSON when ready')
    .addHelpText(
      'after',
      `
Starts its own PostgreSQL unless STRONGROOM_DATABASE_URL is set (then STRONGROOM_ROOT_KEY is needed too).
It prints four keys:
  private     every token permission; reads are masked
  reveal      the same, with a rule that shows plaintext
  public      can only create tokens; for browsers
  management  every management permission, no token permissions
The proxy calls only public destinations; the STRONGROOM_PROXY_* settings allow more, as for serve.
Invitations are mailed if STRONGROOM_SMTP_URL and STRONGROOM_MAIL_FROM are set, as for work.
Not for production: secrets are printed, and there is no backup and no TLS.`,
    )
    .action(async (options: DevOptions) => {
      const isJson = options.json === true;
      const settings = {
        ...readDevelopmentConfig(processEnvironment()),
        port: options.port,
        dataDirectory: options.data === undefined ? undefined : path.resolve(options.data),
        report: (step: string) => {
          if (!isJson) printText(`${step} …`);
        },
      };
      await runUntilStopped(
        async () => {
          const { DevelopmentVault } = await import('../app/development-vault.ts');
          const { createLogger } = await import('../platform/telemetry/logger.ts');
          return DevelopmentVault.start(settings, createLogger('warn'));
        },
        (vault) => {
          const { url, adminUrl, tenantId, keys, signInUrl, settings } = vault;
          if (isJson)
            printJson({ url, admin_url: adminUrl, sign_in_url: signInUrl, tenant_id: tenantId, keys, settings });
          else printText(describe(vault, options.data));
        },
      );
    });
}

function describe(vault: DevelopmentVault, data: string | undefined): string {
  return `
  *** DEVELOPMENT ONLY: never store real cards here. ${data === undefined ? 'Everything is deleted when you stop it.' : `Data and secrets are kept in ${data}.`} ***

  API           ${vault.url}
  Reference     ${vault.url}/docs
  Admin         ${vault.adminUrl}/readyz?verbose
  Sign in       ${vault.signInUrl} (works once)
  Tenant        ${vault.tenantId}

  Keys
    private     ${vault.keys.private}
    reveal      ${vault.keys.reveal}
    public      ${vault.keys.public}
    management  ${vault.keys.management}

  Store your first token:

curl ${vault.url}/tokens -H 'BT-API-KEY: ${vault.keys.private}' -H 'Content-Type: application/json' -d '{"type":"token","data":"Sensitive Value"}'

  To run other commands, such as \`strongroom keys list\`, on this vault:

${Object.entries(vault.settings)
  .map(([name, value]) => `export ${name}='${value}'`)
  .join('\n')}

  Stop with Ctrl-C.`;
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new InvalidArgumentError('A port must be a number from 0 to 65535.');
  return port;
}
