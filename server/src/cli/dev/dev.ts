import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import type { DevelopmentVault } from '../../app/dev/development-vault.ts';
import type { SeenRequest } from '../../http/requests/seen-request.ts';
import { hasDatabase, processEnvironment, readDevelopmentConfig } from '../../platform/config/config.ts';
import { renderBanner } from './dev-banner.ts';
import { listVariables } from './dev-variables.ts';
import { renderRequestLine } from './dev-request-line.ts';
import { printJson, printText } from '../terminal/output.ts';
import { runUntilStopped } from '../terminal/until-stopped.ts';

interface DevOptions {
  readonly port: number;
  readonly data?: string;
  readonly useDatabase?: string;
  readonly seed?: boolean;
  readonly quiet?: boolean;
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
    .option('--use-database <name>', 'use the database of STRONGROOM_DATABASE_URL, which must have this name')
    .option('--seed', 'fill a new vault with applications, 200 cards and people, and a month of log')
    .option('--quiet', 'do not print a line for every request')
    .option('--json', 'print a line of JSON when ready, and nothing else')
    .addHelpText(
      'after',
      `
Starts its own PostgreSQL, stores an example card, and prints lines that read it and show its audit record.
It prints four keys:
  private     every token permission; reads are masked
  reveal      the same, with a rule that shows plaintext
  public      can only create tokens; for browsers
  management  every management permission, no token permissions
The proxy calls public destinations and an echo destination that dev starts on this machine; the STRONGROOM_PROXY_*
settings allow more, as for serve.
It opens a shop in which to try card fields, at an address of its own.
Invitations are mailed if STRONGROOM_SMTP_URL and STRONGROOM_MAIL_FROM are set, as for work. The STRONGROOM_OPENID_…
settings connect an OpenID provider, as for serve.
Refuses to start while STRONGROOM_DATABASE_URL is set, unless --use-database names that database. It is then migrated and
gets a new tenant, both of which stay; STRONGROOM_ROOT_KEY is needed too.
Not for production: secrets are printed, and there is no backup and no TLS.`,
    )
    .action(async (options: DevOptions) => {
      const isJson = options.json === true;
      const lines = new RequestLines(!isJson && options.quiet !== true);
      const settings = {
        ...readSettings(options),
        port: options.port,
        dataDirectory: options.data === undefined ? undefined : path.resolve(options.data),
        databaseName: options.useDatabase,
        hasExample: !isJson,
        isSeeded: options.seed === true,
        report: (step: string) => {
          if (!isJson) printText(`${step} …`);
        },
        watch: (seen: SeenRequest) => lines.add(seen),
      };
      await runUntilStopped(
        async () => {
          const { DevelopmentVault } = await import('../../app/dev/development-vault.ts');
          const { createLogger } = await import('../../platform/telemetry/logger.ts');
          return DevelopmentVault.start(settings, createLogger('warn'));
        },
        (vault) => {
          if (isJson) printJson(toJson(vault));
          else printText(renderBanner(vault));
          lines.begin(vault);
        },
      );
    });
}

/**
 * Reads the settings. The environment may be that of a production vault, so its database is used only if the command
 * line names it too.
 */
function readSettings({ useDatabase, data, seed }: DevOptions) {
  const environment = processEnvironment();
  if (useDatabase === undefined && hasDatabase(environment))
    throw new Error(
      'STRONGROOM_DATABASE_URL is set, but dev only uses databases that it has created. Unset it, or name the database to migrate it and create a tenant in it: --use-database <name>.',
    );
  if (useDatabase !== undefined && data !== undefined)
    throw new Error('--data keeps a database that dev has created. It cannot be combined with --use-database.');
  if (useDatabase !== undefined && seed === true)
    throw new Error('--seed fills a database that dev has created. It cannot be combined with --use-database.');
  return readDevelopmentConfig(environment, { usesDatabase: useDatabase !== undefined });
}

function toJson(vault: DevelopmentVault) {
  const { url, boundUrl, adminUrl, elementsUrl, shopUrl, signInUrl, echoUrl, tenant, settings } = vault;
  return {
    url,
    bound_url: boundUrl,
    admin_url: adminUrl,
    elements_url: elementsUrl,
    ...(shopUrl === undefined ? {} : { shop_url: shopUrl }),
    sign_in_url: signInUrl,
    echo_url: echoUrl,
    tenant_id: tenant.id,
    keys: tenant.keys,
    variables: listVariables(vault),
    ...(tenant.seeded === undefined ? {} : { seeded_keys: tenant.seeded }),
    settings,
  };
}

/** Prints requests in the order of their responses. It starts after the banner has been printed. */
class RequestLines {
  readonly #isOn: boolean;
  #vault: DevelopmentVault | undefined;
  #printed: Promise<void> = Promise.resolve();

  constructor(isOn: boolean) {
    this.#isOn = isOn;
  }

  begin(vault: DevelopmentVault): void {
    if (this.#isOn) this.#vault = vault;
  }

  add(seen: SeenRequest): void {
    const vault = this.#vault;
    if (vault === undefined) return;
    const at = new Date();
    const { caller } = seen;
    const isKey = caller !== undefined && 'applicationId' in caller;
    const naming = isKey ? vault.applicationNames.find(caller) : Promise.resolve(undefined);
    this.#printed = this.#printed.then(async () => printText(renderRequestLine(seen, await naming, at)));
  }
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new InvalidArgumentError('A port must be a number from 0 to 65535.');
  return port;
}
