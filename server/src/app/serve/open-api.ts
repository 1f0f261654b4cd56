import type { FastifyInstance } from 'fastify';
import { IdempotencyService, IdempotencyStore } from '../../features/idempotency/index.ts';
import { addSessionRoutes, SessionService } from '../../features/sessions/index.ts';
import { StoredProxyDirectory } from '../../features/stored-proxies/index.ts';
import { TenantSettingsDirectory } from '../../features/tenants/index.ts';
import { addSignatureKeyRoutes } from '../../features/webhooks/index.ts';
import { createEdge } from '../../http/edge/edge.ts';
import { ElementsOrigin } from '../../http/origins/elements-origin.ts';
import type { ExtraPort } from '../../platform/ingress/extra-port.ts';
import { WebhookSignatureKey } from '../../platform/keyring/webhooks/webhook-signature-key.ts';
import { Outbound } from '../../platform/outbound/outbound.ts';
import { createHttpMetrics } from '../../http/requests/request-log.ts';
import { addElements } from '../wiring/elements-wiring.ts';
import { createManagementRoutes } from '../wiring/management-wiring.ts';
import { addAllPortalRoutes } from '../wiring/portal-wiring.ts';
import { addProxy } from '../wiring/proxy-wiring.ts';
import { addAllTokenRoutes } from '../wiring/token-wiring.ts';
import type { ServerAdmin } from './open-admin.ts';
import type { ServerBase } from './open-base.ts';
import type { ServerStart } from './server-start.ts';
import { startEpochKeys } from './start-epoch-keys.ts';

/** The server of the API and the portal with all routes, and the port of the card fields if they have their own. */
export interface ServerApi {
  readonly edge: FastifyInstance;
  readonly elementsPort: ExtraPort | undefined;
}

export async function openApi(
  start: ServerStart,
  parts: ServerBase & ServerAdmin,
  opened: AsyncDisposableStack,
): Promise<ServerApi> {
  const { config } = start;
  const elements = config.elements === undefined ? undefined : new ElementsOrigin(config.elements.url);
  const edge = await openEdge(start, parts, elements);
  await addRoutes(edge, { start, parts, opened });
  const { core, directory, drain } = parts;
  const { database } = core;
  const folder = start.elementsFolder;
  const elementsPort =
    elements === undefined ? undefined : addElements(edge, { origin: elements, folder, directory, database });
  opened.adopt(edge, (it) => drain.close(it, elementsPort));
  return { edge, elementsPort };
}

function openEdge(
  { config, timeLimitSeconds, logger, development }: ServerStart,
  { core, directory, limiter, metrics, tracer, bodyMemory, drain }: ServerBase & ServerAdmin,
  elements: ElementsOrigin | undefined,
): Promise<FastifyInstance> {
  const { publicUrl } = config.listen;
  const own = [publicUrl, ...(config.elements === undefined ? [] : [config.elements.url])];
  return createEdge({
    publicUrl,
    ownOrigins: own.map((url) => new URL(url).origin),
    authenticator: directory,
    proxyKeys: new StoredProxyDirectory(core),
    limits: { ...config.limits, limiter },
    timeLimitSeconds,
    idempotency: new IdempotencyService({ store: new IdempotencyStore(core.database), keyring: core.keyring }),
    audit: core.audit,
    logger,
    metrics: createHttpMetrics(metrics),
    tracer,
    bodyMemory,
    drain,
    servesReference: config.servesReference,
    elements,
    development,
  });
}

async function addRoutes(
  edge: FastifyInstance,
  { start, parts, opened }: { start: ServerStart; parts: ServerBase & ServerAdmin; opened: AsyncDisposableStack },
): Promise<void> {
  const { config, clock, passwordHasher, logger } = start;
  const { core, feed, metrics, limiter } = parts;
  const { publicUrl } = config.listen;
  const cvcSealer = opened.adopt(await startEpochKeys(core, config), (it) => it.stop());
  const outbound = new Outbound(config.outbound, core.database.tracer);
  const addManagementRoutes = createManagementRoutes(core, { publicUrl, clock, outbound });
  addSignatureKeyRoutes(edge, new WebhookSignatureKey(core));
  addSessionRoutes(edge, new SessionService(core));
  addManagementRoutes(edge);
  const settings = new TenantSettingsDirectory({ database: core.database, feed });
  const { containerSets } = config.limits;
  const { tokens, transforms, addMemberRoutes } = addAllTokenRoutes(edge, { core, settings, cvcSealer, containerSets });
  addAllPortalRoutes(edge, {
    core,
    publicUrl,
    openid: config.openid,
    place: {
      documentationUrl: config.documentationUrl,
      mailsInvitations: config.mailFrom !== undefined,
      elementsUrl: config.elements?.url,
      alertThresholds: config.alerts,
      isDevelopment: start.development !== undefined,
    },
    limiter,
    passwordHasher,
    addMemberRoutes: (scope) => {
      addManagementRoutes(scope);
      addMemberRoutes(scope);
    },
  });
  const proxying = { core, outbound, config: config.outbound, settings, tokens, transforms, metrics, logger };
  opened.adopt(addProxy(edge, proxying), (it) => it.close());
}
