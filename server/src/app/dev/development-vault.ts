import { parseTenantId } from '../../core/identity/ids.ts';
import { SignInLinks } from '../../features/portal/index.ts';
import type { ServerConfig } from '../../platform/config/config.ts';
import { documentationPath } from '../../http/pages/documentation-site.ts';
import { migrate } from '../../platform/database/migrations/migrator.ts';
import { findFreePort } from '../../platform/local-postgres/free-port.ts';
import { EchoDestination } from '../../platform/loopback/echo-destination.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { ApplicationNames } from './application-names.ts';
import { toServerConfig, toWorkerConfig } from './development-config.ts';
import { openDevelopmentDatabase } from './development-database.ts';
import { createDevelopmentLanding } from './development-landing.ts';
import { DevelopmentMemory } from './development-memory.ts';
import type { DevelopmentOptions, DevelopmentStorage } from './development-options.ts';
import { openDevelopmentShop } from './development-shop.ts';
import { createDevelopmentTenant, type DevelopmentTenant } from '../seed/development-tenant.ts';
import { storeExampleCard } from './example-card.ts';
import { openWhole } from '../wiring/open-whole.ts';
import { createSeededTenant } from '../seed/seed-tenant.ts';
import { untilPortsAreFree } from './until-ports-are-free.ts';
import { VaultServer } from '../serve/vault-server.ts';
import { VaultWorker } from '../serve/vault-worker.ts';

export type { DevelopmentKeys } from '../seed/development-tenant.ts';
export type { DevelopmentStorage } from './development-options.ts';

interface Parts {
  readonly url: string;
  readonly server: VaultServer;
  readonly tenant: DevelopmentTenant;
  readonly storage: DevelopmentStorage;
  readonly elementsUrl: string;
  readonly signInUrl: string;
  readonly echoUrl: string;
  readonly mayCallEcho: boolean;
  readonly shopUrl: string | undefined;
  readonly exampleId: string | undefined;
  readonly settings: Readonly<Record<string, string>>;
  readonly opened: AsyncDisposableStack;
}

/** A complete vault for development: database, tenant, applications, server and worker in one process tree. */
export class DevelopmentVault {
  readonly url: string;
  /** The address that the server is bound to. */
  readonly boundUrl: string;
  readonly adminUrl: string;
  /** The origin of the card fields. */
  readonly elementsUrl: string;
  readonly tenant: DevelopmentTenant;
  readonly storage: DevelopmentStorage;
  /** A link that signs the owner in. It works once. */
  readonly signInUrl: string;
  /** A destination for the proxy that returns what it received. */
  readonly echoUrl: string;
  /** False if a setting prevents applications without a list of destinations from calling any destination. */
  readonly mayCallEcho: boolean;
  /** The URL of a shop for trying out card fields. Undefined if it was not built, or could not charge anything. */
  readonly shopUrl: string | undefined;
  readonly exampleId: string | undefined;
  /** The environment that other commands need to work on this vault. */
  readonly settings: Readonly<Record<string, string>>;
  readonly applicationNames: ApplicationNames;
  readonly #opened: AsyncDisposableStack;
  #stopped: Promise<void> | undefined;

  static start(options: DevelopmentOptions, logger: Logger): Promise<DevelopmentVault> {
    return openWhole((opened) => DevelopmentVault.#open(options, logger, opened));
  }

  static async #open(
    options: DevelopmentOptions,
    logger: Logger,
    opened: AsyncDisposableStack,
  ): Promise<DevelopmentVault> {
    const memory = await DevelopmentMemory.open(options.dataDirectory);
    const database = await openDevelopmentDatabase(options, memory, opened);
    options.report('Preparing the schema');
    await migrate(database.ownerUrl);
    const echo = opened.adopt(await EchoDestination.start(), (it) => it.stop());

    let adminUrl = '';
    const landing = await createDevelopmentLanding(() => adminUrl);
    const documentationUrl = landing.site.size > 0 ? documentationPath : undefined;
    let seeded: DevelopmentTenant | undefined;
    const { config, elementsUrl, server } = await untilPortsAreFree(async () => {
      const port = options.port === 0 ? await findFreePort() : options.port;
      const elementsPort = await findFreePort();
      const elements = { url: `http://localhost:${elementsPort}`, port: elementsPort };
      const chosen = toServerConfig({ ...options, port, elements, documentationUrl }, { memory, database, echo });
      if (options.isSeeded) seeded ??= await openSeeded(chosen, logger, { options, memory });
      const development = { watch: options.watch, landing };
      const started = await VaultServer.start(chosen, logger, { development });
      return { config: chosen, elementsUrl: elements.url, server: opened.adopt(started, (it) => it.stop()) };
    }, options.port);
    adminUrl = server.adminUrl;

    const tenant = seeded ?? memory.tenant ?? (await createDevelopmentTenant(server.core));
    await memory.rememberTenant(tenant);
    opened.adopt(await VaultWorker.start(toWorkerConfig(config, options.smtp), logger), (it) => it.stop());
    const exampleId = options.hasExample ? await storeExampleCard(server.url, tenant.keys.private) : undefined;

    const url = config.listen.publicUrl;
    const signInUrl = `${url}${await new SignInLinks(server.core).make(parseTenantId(tenant.id), undefined)}`;
    const settings = {
      // Settings from the environment are not repeated, because they may contain secrets.
      ...(options.database === undefined ? { STRONGROOM_DATABASE_URL: database.ownerUrl } : {}),
      STRONGROOM_PUBLIC_URL: url,
      STRONGROOM_ELEMENTS_URL: elementsUrl,
      ...(options.rootKeys === undefined ? { STRONGROOM_ROOT_KEY: memory.rootKey } : {}),
    };
    const mayCallEcho = !options.outbound.requiresDestinationList;
    const places = { vaultUrl: server.url, elementsUrl, echoUrl: echo.url };
    const shopUrl = mayCallEcho ? await openShop(places, { tenant, memory, opened }) : undefined;
    const parts = { url, elementsUrl, server, tenant, signInUrl, echoUrl: echo.url, exampleId, settings, opened };
    return new DevelopmentVault({ ...parts, mayCallEcho, shopUrl, storage: toStorage(options) });
  }

  private constructor(parts: Parts) {
    this.url = parts.url;
    this.boundUrl = parts.server.url;
    this.adminUrl = parts.server.adminUrl;
    this.elementsUrl = parts.elementsUrl;
    this.tenant = parts.tenant;
    this.storage = parts.storage;
    this.signInUrl = parts.signInUrl;
    this.echoUrl = parts.echoUrl;
    this.mayCallEcho = parts.mayCallEcho;
    this.shopUrl = parts.shopUrl;
    this.exampleId = parts.exampleId;
    this.settings = parts.settings;
    this.applicationNames = new ApplicationNames(parts.server.core.database);
    this.#opened = parts.opened;
  }

  /** Safe to call more than once. */
  stop(): Promise<void> {
    this.#stopped ??= this.#opened.disposeAsync();
    return this.#stopped;
  }
}

async function openShop(
  places: Parameters<typeof openDevelopmentShop>[0],
  { tenant, memory, opened }: { tenant: DevelopmentTenant; memory: DevelopmentMemory; opened: AsyncDisposableStack },
): Promise<string | undefined> {
  const open = await openDevelopmentShop(places, tenant);
  if (open === undefined) return undefined;
  opened.adopt(open.shop, (it) => it.stop());
  await memory.rememberTenant({ ...tenant, shop: open.application });
  return open.shop.url;
}

/**
 * Opens or creates the seeded tenant. This must happen before anything else is logged, because the whole log is moved
 * into the past.
 */
async function openSeeded(
  config: ServerConfig,
  logger: Logger,
  { options, memory }: { options: DevelopmentOptions; memory: DevelopmentMemory },
): Promise<DevelopmentTenant> {
  const { tenant } = memory;
  if (tenant?.seeded !== undefined) return tenant;
  if (tenant !== undefined)
    throw new Error('--seed fills a new vault, and this one has been used. Choose another directory for --data.');
  options.report('Filling the vault with a month of examples');
  // With a mail server, a pending invitation would actually be mailed.
  return createSeededTenant(config, logger, { mayInvite: options.smtp === undefined });
}

function toStorage({ dataDirectory, databaseName }: DevelopmentOptions): DevelopmentStorage {
  if (databaseName !== undefined) return { kind: 'foreign', database: databaseName };
  return dataDirectory === undefined ? { kind: 'deleted' } : { kind: 'kept', directory: dataDirectory };
}
