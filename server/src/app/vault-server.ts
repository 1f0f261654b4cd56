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
import { addLogRoutes, LogService } from '../features/logs/index.ts';
import { IdempotencyService, IdempotencyStore } from '../features/idempotency/index.ts';
import { addMemberRoutes, MemberService } from '../features/members/index.ts';
import { addSessionRoutes, SessionService } from '../features/sessions/index.ts';
import { addTenantRoutes, TenantService, TenantSettingsDirectory } from '../features/tenants/index.ts';
import { createAdminEdge, type ReadinessCheck } from '../http/admin-edge.ts';
import { BodyMemory } from '../http/body-memory.ts';
import { createEdge } from '../http/edge.ts';
import type { ServerConfig } from '../platform/config/config.ts';
import { ChangeFeed } from '../platform/database/change-feed.ts';
import { RateLimiter } from '../platform/rate-limit/rate-limiter.ts';
import { markOf } from '../platform/keyring/kms/root-key-marks.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { Metrics } from '../platform/telemetry/metrics.ts';
import { databaseCheck } from './database-check.ts';
import { openWhole } from './open-whole.ts';
import { addProxy } from './proxy-wiring.ts';
import { addAllPortalRoutes } from './portal-wiring.ts';
import { startEpochKeys } from './start-epoch-keys.ts';
import { addAllTokenRoutes } from './token-wiring.ts';
import { VaultCore } from './vault-core.ts';

const drainTimeoutMs = 25_000;

/** A running server: the API on one port, health and metrics on another. */
export class VaultServer {
  readonly url: string;
  readonly adminUrl: string;
  readonly core: VaultCore;
  readonly #opened: AsyncDisposableStack;
  #stopped: Promise<void> | undefined;

  static start(config: ServerConfig, logger: Logger): Promise<VaultServer> {
    return openWhole((opened) => VaultServer.#open(config, logger, opened));
  }

  /** The stack is closed in reverse order: requests in progress still have everything that they need. */
  static async #open(config: ServerConfig, logger: Logger, opened: AsyncDisposableStack): Promise<VaultServer> {
    const core = opened.adopt(await VaultCore.open(config), (it) => it.close());
    const feed = opened.adopt(new ChangeFeed(config.database.url, markOf(core.rootKeys)), (it) => it.stop());
    const directory = opened.adopt(
      new CredentialDirectory({ database: core.database, systemKeys: core.systemKeys, feed }),
      (it) => it.close(),
    );
    feed.onGap(() => core.keyring.forgetAll());
    feed.onChange((table, id) => {
      if (table === 'tenant_keys') core.keyring.forget(id);
    });

    const cvcSealer = opened.adopt(await startEpochKeys(core, config), (it) => it.stop());
    const metrics = new Metrics();
    addDatabaseMetrics(metrics, core);
    const limiter = opened.adopt(new RateLimiter(config.limits), (it) => it.close());
    if (config.limits.redisUrl !== undefined) addRedisMetrics(metrics, limiter);
    const bodyMemory = new BodyMemory();
    metrics.addGauge(
      'strongroom_request_body_bytes_held',
      'Memory held by the bodies of requests in progress.',
      () => bodyMemory.heldBytes,
    );
    let isDraining = false;
    // Readiness is available until the last request is served.
    const admin = opened.adopt(
      createAdminEdge({ metrics, checks: readinessChecks(core, feed, () => isDraining) }),
      (it) => it.close(),
    );
    const edge = await createEdge({
      publicUrl: config.listen.publicUrl,
      authenticator: directory,
      limits: { ...config.limits, limiter },
      idempotency: new IdempotencyService({ store: new IdempotencyStore(core.database), keyring: core.keyring }),
      audit: core.audit,
      logger,
      metrics,
      bodyMemory,
      servesReference: config.servesReference ?? true,
    });
    addRoutes(edge, core, config.listen.publicUrl);
    addAllPortalRoutes(edge, { core, publicUrl: config.listen.publicUrl, openid: config.openid });
    const settings = new TenantSettingsDirectory({ database: core.database, feed });
    const { containerSets } = config.limits;
    const tokens = addAllTokenRoutes(edge, { core, settings, cvcSealer, containerSets });
    opened.adopt(addProxy(edge, { core, config: config.outbound, settings, tokens, metrics, logger }), (it) =>
      it.close(),
    );
    opened.adopt(edge, closeWithinDrainTime);
    opened.defer(() => {
      isDraining = true;
    });

    await feed.start();
    const { host, port, adminHost, adminPort } = config.listen;
    const url = await edge.listen({ host, port });
    const adminUrl = await admin.listen({ host: adminHost, port: adminPort });
    logger.info('serving', { url, root_key: core.rootKeys.primary.id });
    return new VaultServer({ url, adminUrl, core, opened });
  }

  private constructor(parts: { url: string; adminUrl: string; core: VaultCore; opened: AsyncDisposableStack }) {
    this.url = parts.url;
    this.adminUrl = parts.adminUrl;
    this.core = parts.core;
    this.#opened = parts.opened;
  }

  /** Accepts no new connections, lets requests in progress finish, then closes everything. Safe to call more than once. */
  stop(): Promise<void> {
    this.#stopped ??= this.#opened.disposeAsync();
    return this.#stopped;
  }
}

function addRoutes(edge: FastifyInstance, core: VaultCore, publicUrl: string): void {
  const { database, audit, apiKeyMaker, systemKeys } = core;
  addTenantRoutes(edge, new TenantService({ database, audit }));
  addApplicationRoutes(edge, new ApplicationService({ database, audit, apiKeyMaker }));
  addApplicationKeyRoutes(edge, new ApplicationKeyService({ database, audit, apiKeyMaker }));
  addCatalogRoutes(edge);
  const logs = new LogService({ database, audit });
  addLogRoutes(edge, logs);
  addExposureRoutes(edge, logs);
  addSessionRoutes(edge, new SessionService({ database, systemKeys }));
  addMemberRoutes(edge, new MemberService({ database, audit }));
  const links = new InvitationLinks({ systemKeys, publicUrl });
  addInvitationRoutes(edge, new InvitationService({ database, audit, links }));
}

function readinessChecks(core: VaultCore, feed: ChangeFeed, isDraining: () => boolean): ReadinessCheck[] {
  const require = (claim: boolean) => {
    if (!claim) throw new Error('not ready');
  };
  return [
    { name: 'not draining', check: async () => require(!isDraining()) },
    databaseCheck(core.database),
    { name: 'change feed', check: async () => require(feed.isCurrent) },
  ];
}

function addDatabaseMetrics(metrics: Metrics, { database }: VaultCore): void {
  metrics.addGauge(
    'strongroom_database_connections_open',
    'Open connections to PostgreSQL.',
    () => database.usage.open,
  );
  metrics.addGauge(
    'strongroom_database_requests_waiting',
    'Requests waiting for a database connection.',
    () => database.usage.waiting,
  );
}

function addRedisMetrics(metrics: Metrics, limiter: RateLimiter): void {
  metrics.addGauge(
    'strongroom_rate_limits_shared',
    'Whether servers count requests together in Redis (1), or each counts its own share because Redis is unavailable (0).',
    () => (limiter.isShared === true ? 1 : 0),
  );
  metrics.addGauge(
    'strongroom_rate_limits_servers',
    'Servers that were counting together when Redis was last reachable.',
    () => limiter.serversHeard,
  );
}

/** A request that never ends must not keep the process alive forever. */
async function closeWithinDrainTime(edge: FastifyInstance): Promise<void> {
  const timer = setTimeout(() => edge.server.closeAllConnections(), drainTimeoutMs);
  try {
    await edge.close();
  } finally {
    clearTimeout(timer);
  }
}
