import { builtElements } from '../../features/elements/index.ts';
import type { DevelopmentEdge } from '../../http/edge/edge.ts';
import type { ServerConfig } from '../../platform/config/config.ts';
import { PasswordHasher } from '../../platform/keyring/sign-in/password-hasher.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { type Clock, processClock } from '../../platform/waiting/time-budget.ts';
import { openWhole } from '../wiring/open-whole.ts';
import type { VaultCore } from '../wiring/vault-core.ts';
import { listen } from './listen.ts';
import { openAdmin } from './open-admin.ts';
import { openApi, type ServerApi } from './open-api.ts';
import { openBase } from './open-base.ts';
import type { ServerStart } from './server-start.ts';

const apiSettings = { host: 'STRONGROOM_HOST', port: 'STRONGROOM_PORT (for strongroom dev: --port)' };
const elementsSettings = { host: 'STRONGROOM_HOST', port: 'STRONGROOM_ELEMENTS_PORT' };
const adminSettings = { host: 'STRONGROOM_ADMIN_HOST', port: 'STRONGROOM_ADMIN_PORT' };

/** A running server: the API on one port, health and metrics on another, and card fields on an optional third. */
export class VaultServer {
  readonly url: string;
  readonly adminUrl: string;
  /** The URL of the card fields, if they have their own port. */
  readonly elementsUrl: string | undefined;
  readonly core: VaultCore;
  readonly #opened: AsyncDisposableStack;
  readonly #logger: Logger;
  #stopped: Promise<void> | undefined;

  static start(
    config: ServerConfig,
    logger: Logger,
    more: {
      readonly development?: DevelopmentEdge;
      readonly clock?: Clock;
      readonly passwordHasher?: PasswordHasher;
      readonly elementsFolder?: string;
    } = {},
  ): Promise<VaultServer> {
    const start: ServerStart = {
      config,
      timeLimitSeconds: config.requestTimeoutSeconds,
      logger,
      development: more.development,
      clock: more.clock ?? processClock,
      passwordHasher: more.passwordHasher ?? new PasswordHasher(),
      elementsFolder: more.elementsFolder ?? builtElements,
    };
    return openWhole((opened) => VaultServer.#open(start, opened));
  }

  /**
   * Opens all parts. The stack is closed in reverse order, so that requests in progress still have everything they
   * need.
   */
  static async #open(start: ServerStart, opened: AsyncDisposableStack): Promise<VaultServer> {
    const { config, logger } = start;
    const base = await openBase(start, opened);
    const watched = openAdmin(start, base, opened);
    const api = await openApi(start, { ...base, ...watched }, opened);
    await base.feed.start();
    const { url, elementsUrl } = await listenToCallers(api, config);
    const { adminHost: host, adminPort: port } = config.listen;
    const adminUrl = await listen(watched.admin, { host, port, settings: adminSettings });
    opened.defer(() => watched.drain.begin());
    const { core } = base;
    logger.info('serving', { url, root_key: core.rootKeys.primary.id });
    return new VaultServer({ url, adminUrl, elementsUrl, core, opened, logger });
  }

  private constructor(parts: {
    url: string;
    adminUrl: string;
    elementsUrl: string | undefined;
    core: VaultCore;
    opened: AsyncDisposableStack;
    logger: Logger;
  }) {
    this.url = parts.url;
    this.adminUrl = parts.adminUrl;
    this.elementsUrl = parts.elementsUrl;
    this.core = parts.core;
    this.#opened = parts.opened;
    this.#logger = parts.logger;
  }

  /** Drains, then closes everything. Safe to call more than once. */
  stop(): Promise<void> {
    this.#stopped ??= this.#opened.disposeAsync().then(() => this.#logger.info('stopped'));
    return this.#stopped;
  }
}

/** Starts the card fields after the server, because the server can handle their connections only from then on. */
async function listenToCallers({ edge, elementsPort }: ServerApi, { listen: { host, port }, elements }: ServerConfig) {
  const url = await listen(edge, { host, port, settings: apiSettings });
  if (elementsPort === undefined || elements?.port === undefined) return { url, elementsUrl: undefined };
  const elementsUrl = await listen(elementsPort, { host, port: elements.port, settings: elementsSettings });
  return { url, elementsUrl };
}
