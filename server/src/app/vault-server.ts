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
import { addLogRoutes, LogService } from '../features/logs/index.ts';
import { IdempotencyService, IdempotencyStore } from '../features/idempotency/index.ts';
import { addMemberRoutes, MemberService } from '../features/members/index.ts';
import { addSessionRoutes, SessionService } from '../features/sessions/index.ts';
import { addTenantRoutes, TenantService, TenantSettingsDirectory } from '../features/tenants/index.ts';
import { createAdminEdge, type ReadinessCheck } from '../http/admin-edge.ts';
import { createEdge } from '../http/edge.ts';
import type { ServerConfig } from '../platform/config/config.ts';
import { ChangeFeed } from '../platform/database/change-feed.ts';
import { RateLimiter } from '../platform/rate-limit/rate-limiter.ts';
import { markOf } from '../platform/keyring/kms/root-key-marks.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { Metrics } from '../platform/telemetry/metrics.ts';
import { databaseCheck } from './database-check.ts';
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
  readonly #stop: () => Promise<void>;
  #stopped: Promise<void> | undefined;

  static async start(config: ServerConfig, logger: Logger): Promise<VaultServer> {
    const core = await VaultCore.open(config);
    const feed = new ChangeFeed(config.database.url, markOf(core.rootKeys));
    const directory = new CredentialDirectory({ database: core.database, systemKeys: core.systemKeys, feed });
    feed.onGap(() => core.keyring.forgetAll());
    feed.onChange((table, id) => {
      if (table === 'tenant_keys') core.keyring.forget(id);
    });

    const cvcSealer = await startEpochKeys(core, config);
    const metrics = new Metrics();
    addDatabaseMetrics(metrics, core);
    const limiter = new RateLimiter(config.limits);
    if (config.limits.redisUrl !== undefined) addRedisMetrics(metrics, limiter);
    let isDraining = false;
    const edge = await createEdge({
      publicUrl: config.listen.publicUrl,
      authenticator: directory,
      limits: { ...config.limits, limiter },
      idempotency: new IdempotencyService({ store: new IdempotencyStore(core.database), keyring: core.keyring }),
      audit: core.audit,
      logger,
      metrics,
    });
    addRoutes(edge, core, config.listen.publicUrl);
    addAllPortalRoutes(edge, { core, publicUrl: config.listen.publicUrl, openid: config.openid });
    const settings = new TenantSettingsDirectory({ database: core.database, feed });
    const tokens = addAllTokenRoutes(edge, { core, settings, cvcSealer });
    const proxy = addProxy(edge, { core, config: config.outbound, settings, tokens, metrics, logger });
    const admin = createAdminEdge({ metrics, checks: readinessChecks(core, feed, () => isDraining) });

    const stop = async () => {
      isDraining = true;
      await withinDrainTime(edge.close(), edge);
      limiter.close();
      await proxy.close();
      await Promise.allSettled([admin.close(), feed.stop(), directory.close(), cvcSealer.stop()]);
      await core.close();
    };
    try {
      await feed.start();
      const { host, port, adminHost, adminPort } = config.listen;
      const url = await edge.listen({ host, port });
      const adminUrl = await admin.listen({ host: adminHost, port: adminPort });
      logger.info('serving', { url, root_key: core.rootKeys.primary.id });
      return new VaultServer({ url, adminUrl, core, stop });
    } catch (error) {
      await stop();
      throw error;
    }
  }

  private constructor(parts: { url: string; adminUrl: string; core: VaultCore; stop: () => Promise<void> }) {
    this.url = parts.url;
    this.adminUrl = parts.adminUrl;
    this.core = parts.core;
    this.#stop = parts.stop;
  }

  /** Takes no new connections, lets requests under way finish, then lets go of everything. Once is enough. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }
}

function addRoutes(edge: FastifyInstance, core: VaultCore, publicUrl: string): void {
  const { database, audit, keyMaker, systemKeys } = core;
  addTenantRoutes(edge, new TenantService({ database, audit }));
  addApplicationRoutes(edge, new ApplicationService({ database, audit, keyMaker }));
  addApplicationKeyRoutes(edge, new ApplicationKeyService({ database, audit, keyMaker }));
  addCatalogRoutes(edge);
  addLogRoutes(edge, new LogService({ database, audit }));
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
    'Requests waiting for a connection.',
    () => database.usage.waiting,
  );
}

function addRedisMetrics(metrics: Metrics, limiter: RateLimiter): void {
  metrics.addGauge(
    'strongroom_rate_limits_shared',
    'Whether servers count requests together in Redis (1), or each a share by itself because Redis is away (0).',
    () => (limiter.isShared === true ? 1 : 0),
  );
  metrics.addGauge(
    'strongroom_rate_limits_servers',
    'Servers that counted together when Redis was last heard.',
    () => limiter.serversHeard,
  );
}

/** A request that never ends must not keep the process alive for ever. */
async function withinDrainTime(closing: Promise<void>, edge: FastifyInstance): Promise<void> {
  const timer = setTimeout(() => edge.server.closeAllConnections(), drainTimeoutMs);
  try {
    await closing;
  } finally {
    clearTimeout(timer);
  }
}
