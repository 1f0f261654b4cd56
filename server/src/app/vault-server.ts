import type { FastifyInstance } from 'fastify';
import {
  addApplicationKeyRoutes,
  addApplicationRoutes,
  addCatalogRoutes,
  ApplicationKeyService,
  ApplicationService,
  CredentialDirectory,
} from '../features/applications/index.ts';
import { builtElements } from '../features/elements/index.ts';
import { addInvitationRoutes, InvitationLinks, InvitationService } from '../features/invitations/index.ts';
import { addExposureRoutes } from '../features/exposure/index.ts';
import {
  addLogCountRoutes,
  addLogProofRoutes,
  addLogRoutes,
  addLogSealRoutes,
  LogCounts,
  LogProofs,
  LogSeals,
  LogService,
} from '../features/logs/index.ts';
import { IdempotencyService, IdempotencyStore } from '../features/idempotency/index.ts';
import { addEncryptionKeyRoutes, EncryptionKeyService } from '../features/keys/index.ts';
import { addMemberRoutes, MemberService } from '../features/members/index.ts';
import { addSessionListRoutes, addSessionRoutes, SessionRegister, SessionService } from '../features/sessions/index.ts';
import { addTenantRoutes, TenantDeletion, TenantService, TenantSettingsDirectory } from '../features/tenants/index.ts';
import { sumTokenCounts } from '../features/tokens/index.ts';
import { createAdminEdge, type ReadinessCheck } from '../http/admin-edge.ts';
import { BodyMemory } from '../http/body-memory.ts';
import { createEdge, type DevelopmentEdge } from '../http/edge.ts';
import { ElementsOrigin } from '../http/elements-origin.ts';
import type { DrainConfig, ServerConfig } from '../platform/config/config.ts';
import { LogReader } from '../platform/audit/log-reader.ts';
import { auditKeyVersion } from '../platform/audit/sealer.ts';
import { ChangeFeed } from '../platform/database/change-feed.ts';
import { OutageLog } from '../platform/database/outage-log.ts';
import { requireAnswer } from '../platform/database/require-answer.ts';
import { RateLimiter } from '../platform/rate-limit/rate-limiter.ts';
import { PasswordHasher } from '../platform/keyring/password-hasher.ts';
import { markOf } from '../platform/keyring/kms/root-key-marks.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { createHttpMetrics } from '../platform/telemetry/http-metrics.ts';
import { openTracer } from '../platform/telemetry/traces/open-tracer.ts';
import { type Clock, processClock } from '../platform/waiting/time-budget.ts';
import { Drain } from './drain.ts';
import { withinRequests } from './database-time-limits.ts';
import { addElements } from './elements-wiring.ts';
import { addCertificateMetrics } from './key-metrics.ts';
import { listen } from './listen.ts';
import { openWhole } from './open-whole.ts';
import { addProxy } from './proxy-wiring.ts';
import { addAllPortalRoutes } from './portal-wiring.ts';
import { claimCheck, databaseCheck, notStopping } from './readiness.ts';
import { sealedTables } from './sealed-tables.ts';
import { createServerMetrics } from './server-metrics.ts';
import { startEpochKeys } from './start-epoch-keys.ts';
import { addAllTokenRoutes } from './token-wiring.ts';
import { VaultCore } from './vault-core.ts';
import { watchGround } from './watch-ground.ts';

/** Without the feed, every key is looked up. That is no reason to send requests elsewhere, unless it lasts. */
const silenceMaxMs = 5_000;
const undelayed: DrainConfig = { delaySeconds: 0, timeoutSeconds: 20 };
const requestTimeoutSecondsDefault = 10;
const apiSettings = { host: 'STRONGROOM_HOST', port: 'STRONGROOM_PORT (for strongroom dev: --port)' };
const elementsSettings = { host: 'STRONGROOM_HOST', port: 'STRONGROOM_ELEMENTS_PORT' };
const adminSettings = { host: 'STRONGROOM_ADMIN_HOST', port: 'STRONGROOM_ADMIN_PORT' };

interface Start {
  readonly config: ServerConfig;
  readonly logger: Logger;
  readonly development: DevelopmentEdge | undefined;
  /** What searches of the log are timed by. */
  readonly clock: Clock;
  readonly passwordHasher: PasswordHasher;
  /** Where the built card fields are. */
  readonly elementsFolder: string;
}

/** A running server: the API on one port, health and metrics on another, and card fields perhaps on a third. */
export class VaultServer {
  readonly url: string;
  readonly adminUrl: string;
  /** Where card fields are served, if they have a port of their own. */
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
    const { development, clock = processClock, passwordHasher = new PasswordHasher() } = more;
    const { elementsFolder = builtElements } = more;
    const start = { config, logger, development, clock, passwordHasher, elementsFolder };
    return openWhole((opened) => VaultServer.#open(start, opened));
  }

  /** The stack is closed in reverse order: requests in progress still have everything that they need. */
  static async #open(
    { config, logger, development, clock, passwordHasher, elementsFolder }: Start,
    opened: AsyncDisposableStack,
  ): Promise<VaultServer> {
    // Closed last: what ends while the server stops is traced as well.
    const tracer = opened.adopt(await openTracer(config.traces, { role: 'serve', logger }), (it) => it.close());
    const { requestTimeoutSeconds = requestTimeoutSecondsDefault } = config;
    const database = withinRequests(config.database, requestTimeoutSeconds);
    const core = opened.adopt(await VaultCore.open({ ...config, database }, tracer), (it) => it.close());
    const origin = core.origins.of(config.database.url);
    const feed = opened.adopt(new ChangeFeed(config.database.url, markOf(core.rootKeys), origin), (it) => it.stop());
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
    addCertificateMetrics(metrics, config);
    const ground = opened.adopt(watchGround(core.database, config.database, metrics), (it) => it.stop());
    const drain = new Drain(config.drain ?? undelayed, logger);
    // Readiness is available until the last request is served.
    const admin = opened.adopt(
      createAdminEdge({ metrics, checks: readinessChecks(core, feed, drain), ground: () => ground.findings }),
      (it) => it.close(),
    );
    const elements = config.elements === undefined ? undefined : new ElementsOrigin(config.elements.url);
    const edge = await createEdge({
      publicUrl: config.listen.publicUrl,
      ownOrigins: [config.listen.publicUrl, ...(config.elements === undefined ? [] : [config.elements.url])].map(
        (own) => new URL(own).origin,
      ),
      authenticator: directory,
      limits: { ...config.limits, limiter },
      timeLimitSeconds: requestTimeoutSeconds,
      idempotency: new IdempotencyService({ store: new IdempotencyStore(core.database), keyring: core.keyring }),
      audit: core.audit,
      logger,
      metrics: createHttpMetrics(metrics),
      tracer,
      bodyMemory,
      drain,
      servesReference: config.servesReference ?? true,
      elements,
      development,
    });
    const { publicUrl } = config.listen;
    const addManagementRoutes = createManagementRoutes(core, publicUrl, clock);
    addSessionRoutes(edge, new SessionService(core));
    addManagementRoutes(edge);
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
    const elementsPort =
      elements === undefined ? undefined : addElements(edge, { origin: elements, folder: elementsFolder, directory });
    opened.adopt(edge, (it) => drain.close(it, elementsPort));

    await feed.start();
    const { host, port, adminHost, adminPort } = config.listen;
    const url = await listen(edge, { host, port, settings: apiSettings });
    // After the server itself, which takes connections from then on.
    const elementsUrl =
      elementsPort === undefined || config.elements?.port === undefined
        ? undefined
        : await listen(elementsPort, { host, port: config.elements.port, settings: elementsSettings });
    const adminUrl = await listen(admin, { host: adminHost, port: adminPort, settings: adminSettings });
    opened.defer(() => drain.begin());
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

/** Builds what manages a tenant; its routes are added for keys, and for members who are signed in. */
function createManagementRoutes(core: VaultCore, publicUrl: string, clock: Clock): (scope: FastifyInstance) => void {
  const { database, audit, apiKeyMaker, systemKeys, rootKeys } = core;
  const tenants = new TenantService({ database, audit });
  const applications = new ApplicationService({ database, audit, apiKeyMaker });
  const keys = new ApplicationKeyService({ database, audit, apiKeyMaker });
  const logs = new LogService({ database, audit, clock });
  const counts = new LogCounts({ database, clock });
  const { publicKey } = systemKeys.auditSigner();
  const reader = new LogReader(database, 'one tenant');
  const proofs = new LogProofs({ reader, audit, publicKey });
  const publicKeys = [{ version: auditKeyVersion, publicKey }];
  const seals = new LogSeals({ database, reader, publicKeys, clock });
  const encryptionKeys = new EncryptionKeyService({
    database,
    audit,
    rootKeys,
    sources: sealedTables.map(({ name }) => name),
    estimateRows: sumTokenCounts,
  });
  const members = new MemberService({ database, audit });
  const links = new InvitationLinks({ systemKeys, publicUrl });
  const invitations = new InvitationService({ database, audit, links });
  return (scope) => {
    addTenantRoutes(scope, { tenants, deletion: new TenantDeletion(database) });
    addApplicationRoutes(scope, applications);
    addApplicationKeyRoutes(scope, keys);
    addSessionListRoutes(scope, new SessionRegister(core));
    addCatalogRoutes(scope);
    addLogRoutes(scope, logs);
    addLogCountRoutes(scope, { counts, logs });
    addLogProofRoutes(scope, proofs);
    addLogSealRoutes(scope, { seals, logs });
    addExposureRoutes(scope, logs);
    addEncryptionKeyRoutes(scope, encryptionKeys);
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
