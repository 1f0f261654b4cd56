import type { FastifyInstance } from 'fastify';
import {
  addApplicationKeyRoutes,
  addApplicationRoutes,
  addCatalogRoutes,
  ApplicationKeyService,
  ApplicationService,
  CredentialDirectory,
} from '../features/applications/index.ts';
import { addInvitationRoutes, InvitationLinks, InvitationService } from '../features/invitations/index.ts';
import { addExposureRoutes } from '../features/exposure/index.ts';
import {
  addLogCountRoutes,
  addLogProofRoutes,
  addLogRoutes,
  LogCounts,
  LogProofs,
  LogService,
} from '../features/logs/index.ts';
import { IdempotencyService, IdempotencyStore } from '../features/idempotency/index.ts';
import { addMemberRoutes, MemberService } from '../features/members/index.ts';
import { addSessionRoutes, SessionService } from '../features/sessions/index.ts';
import { addTenantRoutes, TenantService, TenantSettingsDirectory } from '../features/tenants/index.ts';
import { createAdminEdge, type ReadinessCheck } from '../http/admin-edge.ts';
import { BodyMemory } from '../http/body-memory.ts';
import { createEdge, type DevelopmentEdge } from '../http/edge.ts';
import type { DrainConfig, ServerConfig } from '../platform/config/config.ts';
import { LogReader } from '../platform/audit/log-reader.ts';
import { ChangeFeed } from '../platform/database/change-feed.ts';
import { OutageLog } from '../platform/database/outage-log.ts';
import { requireAnswer } from '../platform/database/require-answer.ts';
import { RateLimiter } from '../platform/rate-limit/rate-limiter.ts';
import { PasswordHasher } from '../platform/keyring/password-hasher.ts';
import { markOf } from '../platform/keyring/kms/root-key-marks.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { createHttpMetrics } from '../platform/telemetry/http-metrics.ts';
import { type Clock, processClock } from '../platform/waiting/time-budget.ts';
import { Drain } from './drain.ts';
import { listen } from './listen.ts';
import { openWhole } from './open-whole.ts';
import { addProxy } from './proxy-wiring.ts';
import { addAllPortalRoutes } from './portal-wiring.ts';
import { claimCheck, databaseCheck, notStopping } from './readiness.ts';
import { createServerMetrics } from './server-metrics.ts';
import { startEpochKeys } from './start-epoch-keys.ts';
import { addAllTokenRoutes } from './token-wiring.ts';
import { VaultCore } from './vault-core.ts';

/** Without the feed, every key is looked up. That is no reason to send requests elsewhere, unless it lasts. */
const silenceMaxMs = 5_000;
const undelayed: DrainConfig = { delaySeconds: 0, timeoutSeconds: 20 };
const apiSettings = { host: 'STRONGROOM_HOST', port: 'STRONGROOM_PORT (for strongroom dev: --port)' };
const adminSettings = { host: 'STRONGROOM_ADMIN_HOST', port: 'STRONGROOM_ADMIN_PORT' };

interface Start {
  readonly config: ServerConfig;
  readonly logger: Logger;
  readonly development: DevelopmentEdge | undefined;
  /** What searches of the log are timed by. */
  readonly clock: Clock;
  readonly passwordHasher: PasswordHasher;
}

/** A running server: the API on one port, health and metrics on another. */
export class VaultServer {
  readonly url: string;
  readonly adminUrl: string;
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
    } = {},
  ): Promise<VaultServer> {
    const { development, clock = processClock, passwordHasher = new PasswordHasher() } = more;
    return openWhole((opened) => VaultServer.#open({ config, logger, development, clock, passwordHasher }, opened));
  }

  /** The stack is closed in reverse order: requests in progress still have everything that they need. */
  static async #open(
    { config, logger, development, clock, passwordHasher }: Start,
    opened: AsyncDisposableStack,
  ): Promise<VaultServer> {
    const core = opened.adopt(await VaultCore.open(config), (it) => it.close());
    const feed = opened.adopt(new ChangeFeed(config.database.url, markOf(core.rootKeys)), (it) => it.stop());
    const directory = opened.adopt(
      new CredentialDirectory({ database: core.database, systemKeys: core.systemKeys, feed }),
      (it) => it.close(),
    );
    new OutageLog(logger).watch(core.database);
    // Asked also when nobody uses the vault, so that the log tells when the database went away and came back.
    const askDatabase = () => void requireAnswer(core.database).catch(() => undefined);
    feed.onLost(askDatabase);
    feed.onGap(askDatabase);
    feed.onGap(() => core.keyring.forgetAll());
    feed.onChange((table, id) => {
      if (table === 'tenant_keys') core.keyring.forget(id);
    });

    const cvcSealer = opened.adopt(await startEpochKeys(core, config), (it) => it.stop());
    const limiter = opened.adopt(new RateLimiter(config.limits), (it) => it.close());
    const bodyMemory = new BodyMemory();
    const metrics = createServerMetrics({ core, directory, limiter, bodyMemory });
    const drain = new Drain(config.drain ?? undelayed, logger);
    // Readiness is available until the last request is served.
    const admin = opened.adopt(createAdminEdge({ metrics, checks: readinessChecks(core, feed, drain) }), (it) =>
      it.close(),
    );
    const edge = await createEdge({
      publicUrl: config.listen.publicUrl,
      authenticator: directory,
      limits: { ...config.limits, limiter },
      idempotency: new IdempotencyService({ store: new IdempotencyStore(core.database), keyring: core.keyring }),
      audit: core.audit,
      logger,
      metrics: createHttpMetrics(metrics),
      bodyMemory,
      drain,
      servesReference: config.servesReference ?? true,
      development,
    });
    const { publicUrl } = config.listen;
    const addManagementRoutes = createManagementRoutes(core, publicUrl, clock);
    addManagementRoutes(edge);
    addSessionRoutes(edge, new SessionService(core));
    const settings = new TenantSettingsDirectory({ database: core.database, feed });
    const { containerSets } = config.limits;
    const { tokens, addMemberRoutes } = addAllTokenRoutes(edge, { core, settings, cvcSealer, containerSets });
    addAllPortalRoutes(edge, {
      core,
      publicUrl,
      openid: config.openid,
      passwordHasher,
      addMemberRoutes: (scope) => {
        addManagementRoutes(scope);
        addMemberRoutes(scope);
      },
    });
    opened.adopt(addProxy(edge, { core, config: config.outbound, settings, tokens, metrics, logger }), (it) =>
      it.close(),
    );
    opened.adopt(edge, (it) => drain.close(it));

    await feed.start();
    const { host, port, adminHost, adminPort } = config.listen;
    const url = await listen(edge, { host, port, settings: apiSettings });
    const adminUrl = await listen(admin, { host: adminHost, port: adminPort, settings: adminSettings });
    opened.defer(() => drain.begin());
    logger.info('serving', { url, root_key: core.rootKeys.primary.id });
    return new VaultServer({ url, adminUrl, core, opened, logger });
  }

  private constructor(parts: {
    url: string;
    adminUrl: string;
    core: VaultCore;
    opened: AsyncDisposableStack;
    logger: Logger;
  }) {
    this.url = parts.url;
    this.adminUrl = parts.adminUrl;
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

/** Builds what manages a tenant; its routes are added for keys, and for members who are signed in. */
function createManagementRoutes(core: VaultCore, publicUrl: string, clock: Clock): (scope: FastifyInstance) => void {
  const { database, audit, apiKeyMaker, systemKeys } = core;
  const tenants = new TenantService({ database, audit });
  const applications = new ApplicationService({ database, audit, apiKeyMaker });
  const keys = new ApplicationKeyService({ database, audit, apiKeyMaker });
  const logs = new LogService({ database, audit, clock });
  const counts = new LogCounts({ database, clock });
  const { publicKey } = systemKeys.auditSigner();
  const proofs = new LogProofs({ reader: new LogReader(database, 'one tenant'), audit, publicKey });
  const members = new MemberService({ database, audit });
  const links = new InvitationLinks({ systemKeys, publicUrl });
  const invitations = new InvitationService({ database, audit, links });
  return (scope) => {
    addTenantRoutes(scope, tenants);
    addApplicationRoutes(scope, applications);
    addApplicationKeyRoutes(scope, keys);
    addCatalogRoutes(scope);
    addLogRoutes(scope, logs);
    addLogCountRoutes(scope, { counts, logs });
    addLogProofRoutes(scope, proofs);
    addExposureRoutes(scope, logs);
    addMemberRoutes(scope, members);
    addInvitationRoutes(scope, invitations);
  };
}

function readinessChecks(core: VaultCore, feed: ChangeFeed, drain: Drain): ReadinessCheck[] {
  return [
    notStopping(() => drain.hasBegun),
    databaseCheck(core.database),
    claimCheck('change feed', () => feed.silentMs < silenceMaxMs),
  ];
}
