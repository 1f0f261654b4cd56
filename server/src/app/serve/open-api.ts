import type { FastifyInstance } from 'fastify';
import { IdempotencyService, IdempotencyStore } from '../../features/idempotency/index.ts';
import { addSessionRoutes, SessionService } from '../../features/sessions/index.ts';
import { TenantSettingsDirectory } from '../../features/tenants/index.ts';
import { createEdge } from '../../http/edge/edge.ts';
import { ElementsOrigin } from '../../http/origins/elements-origin.ts';
import type { ExtraPort } from '../../platform/ingress/extra-port.ts';
import { createHttpMetrics } from '../../platform/telemetry/http-metrics.ts';
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
  const { directory, drain } = parts;
  const folder = start.elementsFolder;
  const elementsPort = elements === undefined ? undefined : addElements(edge, { origin: elements, folder, directory });
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
    limits: { ...config.limits, limiter },
    timeLimitSeconds,
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
}

async function addRoutes(
  edge: FastifyInstance,
  { start, parts, opened }: { start: ServerStart; parts: ServerBase & ServerAdmin; opened: AsyncDisposableStack },
): Promise<void> {
  const { config, clock, passwordHasher, logger } = start;
  const { core, feed, metrics } = parts;
  const { publicUrl } = config.listen;
  const cvcSealer = opened.adopt(await startEpochKeys(core, config), (it) => it.stop());
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
}
