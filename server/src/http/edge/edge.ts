import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { createRequestLog, type HttpMetrics, type RequestLog, spanFactsOf } from '../requests/request-log.ts';
import { noTracer, type Tracer } from '../../platform/telemetry/tracer.ts';
import { addBodyParsers, addBodyReader, bodySizeMax } from '../bodies/body.ts';
import { BodyMemory, responseMemoryLimits } from '../bodies/body-memory.ts';
import { addResponseMemory } from '../bodies/response-memory.ts';
import { addSerialization } from '../bodies/serialization.ts';
import { addAuthentication, type Authenticator } from '../callers/authentication.ts';
import type { ProxyKeys } from '../callers/proxy-key.ts';
import { type AttemptLog, recordFailedAttempt } from '../callers/failed-attempt.ts';
import { addPacing } from '../callers/pacing.ts';
import { createRateLimits, type RequestLimits } from '../callers/rate-limit.ts';
import { type ClientFinder, createClientFinder } from '../connections/client-address.ts';
import { answerExpectations } from '../connections/expectation.ts';
import { addLingering } from '../connections/lingering.ts';
import { addTimeLimit, endTimeLimitWithResponse, isOutOfTime } from '../connections/time-limit.ts';
import { endConnectionsThatUpgrade } from '../connections/current-requests.ts';
import { addApiReference } from '../description/api-reference.ts';
import type { ElementsOrigin } from '../origins/elements-origin.ts';
import { addLandingPage, type DevelopmentLanding } from '../pages/landing-page.ts';
import { addValidation } from '../parameters/validation.ts';
import { addErrorPages } from '../problems/error-pages.ts';
import { watchRequests } from '../connections/current-requests.ts';
import { addIdempotency, type IdempotencyKeeper, settleFailure } from '../requests/idempotency.ts';
import { addRequestTraces } from '../requests/request-trace.ts';
import type { RequestWatcher } from '../requests/seen-request.ts';
import { requireDeclaredPermissions } from '../routes/route-config.ts';
import { sendProblem, writeProblem } from './answer-failure.ts';
import { addFirstLook } from './first-look.ts';
import { openFramework } from './open-framework.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Returns true if a response should be the last on its connection, because the server is about to stop. */
    readonly isDraining: () => boolean;
  }
}

export interface EdgeOptions {
  readonly publicUrl: string;
  /** Origins whose pages may use every key that is meant for browsers, whatever its application lists. */
  readonly ownOrigins: readonly string[];
  readonly authenticator: Authenticator;
  /** Finds stored proxies by their keys. By default, there are none. */
  readonly proxyKeys?: ProxyKeys;
  readonly limits: RequestLimits;
  /** The time limit of a whole request, in seconds. */
  readonly timeLimitSeconds: number;
  readonly idempotency: IdempotencyKeeper;
  readonly logger: Logger;
  readonly metrics: HttpMetrics;
  /** The tracer. By default, nothing is traced. */
  readonly tracer?: Tracer;
  readonly audit: AttemptLog;
  readonly bodyMemory?: BodyMemory;
  /** Says whether the server has been told to stop but still serves requests. The default is false. */
  readonly drain?: { readonly hasBegun: boolean } | undefined;
  /** True if `/docs` and `/openapi.json` are served. The default is true. */
  readonly servesReference?: boolean;
  /** The origin that serves card fields, if there is one. */
  readonly elements?: ElementsOrigin | undefined;
  readonly development?: DevelopmentEdge | undefined;
}

/** The parts that only `strongroom dev` has: live lines in its terminal, and more on its landing page. */
export interface DevelopmentEdge {
  readonly watch: RequestWatcher;
  readonly landing: DevelopmentLanding;
}

const noProxyKeys: ProxyKeys = { find: async () => undefined };

/**
 * Creates the web server with everything that all routes share, in the order in which a request passes through it.
 * Features add their routes.
 */
export async function createEdge(options: EdgeOptions): Promise<FastifyInstance> {
  const { elements, timeLimitSeconds, logger, tracer = noTracer, servesReference = true } = options;
  const requestLog = createRequestLog(logger, options.metrics, options.development?.watch);
  const clientOf = createClientFinder(options.limits.trustedProxies, options.limits.ownNetworks);
  const limits = createRateLimits(options.limits, clientOf);
  const app = openFramework({ timeLimitSeconds, elements, limits, requestLog, logger });

  addTimeLimit(app, { limitSeconds: timeLimitSeconds, present: writeProblem });
  addFirstLook(app, limits);
  addRequestLog(app, requestLog);
  answerFailures(app, options);
  watchRequests(app);
  answerExpectations(app, bodySizeMax);
  endConnectionsThatUpgrade(app);
  closeConnectionsWhenDraining(app, options.drain);
  requireDeclaredPermissions(app);
  addClientAddress(app, clientOf);
  addRequestTraces(app, tracer, spanFactsOf);
  addAuthentication(app, { proxyKeys: noProxyKeys, ...options, limits, clientOf, tracer });
  addPacing(app);
  addLingering(app);
  addBodyReader(app, { memory: options.bodyMemory ?? new BodyMemory(), clientOf });
  addBodyParsers(app);
  addResponseMemory(app, { memory: new BodyMemory(responseMemoryLimits), clientOf });
  addValidation(app);
  addSerialization(app);
  addIdempotency(app, options.idempotency, logger);
  endTimeLimitWithResponse(app);
  addErrorPages(app);
  addLandingPage(app, { servesReference, development: options.development?.landing });
  addApiReference(app, { ...options, isServed: servesReference });
  return app;
}

function addRequestLog(app: FastifyInstance, requestLog: RequestLog): void {
  app.addHook('onResponse', (request, reply, done) => {
    requestLog.answered(request, reply);
    done();
  });
  app.addHook('onRequestAbort', async (request) => requestLog.abandoned(request));
}

function answerFailures(app: FastifyInstance, { audit, logger }: Pick<EdgeOptions, 'audit' | 'logger'>): void {
  app.setErrorHandler(async (error, request, reply) => {
    const failure = await recordFailedAttempt(error, request, audit);
    if (isOutOfTime(request)) await settleFailure({ request, reply, logger }, failure);
    else sendProblem(failure, request, reply, logger);
    return reply;
  });
}

function addClientAddress(app: FastifyInstance, clientOf: ClientFinder): void {
  app.decorateRequest('clientAddress', {
    getter(this: FastifyRequest) {
      return clientOf(this).address;
    },
  });
}

/**
 * Closes connections with their next response after a server is told to stop, so that clients open the next one to
 * another server. Otherwise connections in use would be closed at the end, and a request could be sent on one that was
 * just closed.
 */
function closeConnectionsWhenDraining(
  app: FastifyInstance,
  drain: { readonly hasBegun: boolean } = { hasBegun: false },
): void {
  let isClosing = false;
  app.decorate('isDraining', () => isClosing || drain.hasBegun);
  app.addHook('preClose', async () => {
    isClosing = true;
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (app.isDraining()) reply.header('connection', 'close');
    done(null, payload);
  });
}
