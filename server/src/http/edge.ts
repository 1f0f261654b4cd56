import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { toError } from '../core/errors/thrown.ts';
import { DomainError } from '../core/errors/domain-error.ts';
import { tokenLimits } from '../core/token-limits.ts';
import { findOutage } from '../platform/database/database-error.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { HttpMetrics } from '../platform/telemetry/http-metrics.ts';
import { noTracer, type Tracer } from '../platform/telemetry/traces/tracer.ts';
import { addApiReference } from './api-reference.ts';
import { type MethodFinder, watchMethods } from './allowed-methods.ts';
import { type Authenticator, addAuthentication } from './authentication.ts';
import { addBodyParsers, bodySizeMax } from './body.ts';
import { BodyMemory, responseMemoryLimits } from './body-memory.ts';
import { addBodyReader } from './body-reader.ts';
import { type AttemptLog, recordFailedAttempt } from './failed-attempt.ts';
import { createClientFinder } from './client-address.ts';
import { allowCrossOrigin, answerPreflight, isPreflight } from './cross-origin.ts';
import { closeConnectionsWhenDraining } from './draining.ts';
import { describeEffect } from './effect-of-refusal.ts';
import { type ElementsOrigin, isServed, originStrategy, partOfElements } from './elements-origin.ts';
import { addErrorPages } from './error-pages.ts';
import { answerExpectations } from './expectation.ts';
import { addIdempotency, type IdempotencyKeeper, settleFailure } from './idempotency.ts';
import { addLandingPage, type DevelopmentLanding } from './landing-page.ts';
import { addLingering } from './lingering.ts';
import { addTimeLimit, endTimeLimitWithResponse, isOutOfTime, longestTimeMs } from './time-limit.ts';
import { refuseMalformedRequest, watchExchanges } from './malformed-request.ts';
import { addPacing } from './pacing.ts';
import { addTextPageHeaders, pageType } from './page-reply.ts';
import { problemContentType, toDomainError, toProblem } from './problem.ts';
import { problemCatalog } from './problem-catalog.ts';
import { isForPeople, renderProblemPage } from './problem-page.ts';
import { createRateLimits, type RequestLimits } from './rate-limit.ts';
import { createRequestLog, describeFailure, noteProblem, routeOf, spanFactsOf } from './request-log.ts';
import { findTargetProblem } from './request-target.ts';
import { addRequestTraces } from './request-trace.ts';
import { addResponseMemory } from './response-memory.ts';
import { requireDeclaredPermissions } from './route-config.ts';
import { toTemplate } from './route-template.ts';
import type { RequestWatcher } from './seen-request.ts';
import { chooseTraceId, traceIdHeader } from './trace-id.ts';
import { findUnserved } from './unserved-resources.ts';
import { endConnectionsThatUpgrade, isBehindUpgrade } from './upgrade.ts';
import { addValidation } from './validation.ts';

export interface EdgeOptions {
  readonly publicUrl: string;
  /** Origins whose pages may use every key that is meant for browsers, whatever its application lists. */
  readonly ownOrigins: readonly string[];
  readonly authenticator: Authenticator;
  readonly limits: RequestLimits;
  /** The whole time of a request. */
  readonly timeLimitSeconds: number;
  readonly idempotency: IdempotencyKeeper;
  readonly logger: Logger;
  readonly metrics: HttpMetrics;
  /** Traces nothing by default. */
  readonly tracer?: Tracer;
  readonly audit: AttemptLog;
  readonly bodyMemory?: BodyMemory;
  /** Whether the server has been told to stop, although it still serves; false by default. */
  readonly drain?: { readonly hasBegun: boolean } | undefined;
  /** Whether `/docs` and `/openapi.json` are served; true by default. */
  readonly servesReference?: boolean;
  /** Where card fields are served, if they are. */
  readonly elements?: ElementsOrigin | undefined;
  readonly development?: DevelopmentEdge | undefined;
}

/** What only `strongroom dev` has: live lines in its terminal, and more on its landing page. */
export interface DevelopmentEdge {
  readonly watch: RequestWatcher;
  readonly landing: DevelopmentLanding;
}

const requestTimeoutMs = 30_000;
const headersTimeoutMs = 10_000;
/** For an idle connection during a request: longer than any request takes to be answered. */
const stillTimeoutMinMs = 60_000;
const stillMarginMs = 5_000;
/** How often connections are checked for these two: a limit is exceeded by this much at most. */
const timeoutCheckMs = 5_000;
/** Each character of an id has up to four bytes, each byte three characters when percent-encoded. */
const pathParameterMax = tokenLimits.idLengthMax * 4 * 3;
const retryAfterSeconds = 1;

/** The web server with everything that all routes share; features add their routes. */
export async function createEdge(options: EdgeOptions): Promise<FastifyInstance> {
  const { elements, timeLimitSeconds } = options;
  const requestLog = createRequestLog(options.logger, options.metrics, options.development?.watch);
  const clientOf = createClientFinder(options.limits.trustedProxies);
  const limits = createRateLimits(options.limits, clientOf);
  const count = (request: FastifyRequest, reply: FastifyReply, proceed: (refusal?: Error) => void) =>
    callWithOutcome(() => limits.countRequest(request, reply), proceed);
  const app = fastify({
    logger: false,
    bodyLimit: bodySizeMax,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: Math.max(stillTimeoutMinMs, longestTimeMs(timeLimitSeconds) + stillMarginMs),
    keepAliveTimeout: 75_000,
    http: {
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: timeoutCheckMs,
      // Rejected with other host errors, in our own error format.
      requireHostHeader: false,
    },
    genReqId: chooseTraceId,
    requestIdHeader: false,
    // Responses of a draining server keep their status instead of becoming a 503.
    return503OnClosing: false,
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: pathParameterMax,
      ...(elements === undefined ? {} : { constraints: { [originStrategy.name]: originStrategy } }),
    },
    ...(elements === undefined ? {} : { rewriteUrl: (request: FastifyRequest['raw']) => elements.route(request) }),
    // No hooks run for these, so their work is done here.
    frameworkErrors: (error, request, reply) => {
      addSharedHeaders(request, reply);
      reply.raw.once('finish', () => requestLog.answered(request, reply));
      const problem = findTargetProblem(request.raw, request.originalUrl) ?? error;
      count(request, reply, (refusal) => sendProblem(refusal ?? problem, request, reply, options.logger));
    },
    clientErrorHandler: (error, socket) => refuseMalformedRequest(error, socket, options.logger),
  });

  const methodsOf = watchMethods(app);
  addTimeLimit(app, {
    limitSeconds: timeLimitSeconds,
    present: (error, request, reply) => writeProblem(error, request, reply),
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (isBehindUpgrade(request.raw)) {
      reply.hijack();
      return;
    }
    addSharedHeaders(request, reply);
    const problem = findTargetProblem(request.raw, request.originalUrl);
    if (problem !== undefined) {
      reply.header('connection', 'close');
      done(problem);
      return;
    }
    // The pages of the elements origin ask it alone, which needs no permission.
    if (isPreflight(request) && partOfElements(request.raw) === undefined) {
      answerPreflight(reply);
      return;
    }
    count(request, reply, (refusal) => {
      // Here and not in a handler, which would run after the body was read and validated.
      if (refusal !== undefined) done(refusal);
      else if (!isServed(request)) done(notThere(request));
      else if (request.is404) refuseUnrouted(request, reply, { methodsOf, done });
      else done();
    });
  });
  app.addHook('onResponse', (request, reply, done) => {
    requestLog.answered(request, reply);
    done();
  });
  app.addHook('onRequestAbort', async (request) => requestLog.abandoned(request));
  app.setErrorHandler(async (error, request, reply) => {
    const failure = await recordFailedAttempt(error, request, options.audit);
    if (isOutOfTime(request)) await settleFailure({ request, reply, logger: options.logger }, failure);
    else sendProblem(failure, request, reply, options.logger);
    return reply;
  });
  watchExchanges(app);
  answerExpectations(app, bodySizeMax);
  endConnectionsThatUpgrade(app);
  closeConnectionsWhenDraining(app, options.drain);
  requireDeclaredPermissions(app);
  app.decorateRequest('clientAddress', {
    getter(this: FastifyRequest) {
      return clientOf(this).address;
    },
  });
  const { tracer = noTracer } = options;
  addRequestTraces(app, tracer, spanFactsOf);
  addAuthentication(app, { ...options, limits, clientOf, tracer });
  addPacing(app);
  addLingering(app);
  addBodyReader(app, { memory: options.bodyMemory ?? new BodyMemory(), clientOf });
  addBodyParsers(app);
  addResponseMemory(app, { memory: new BodyMemory(responseMemoryLimits), clientOf });
  addValidation(app);
  addIdempotency(app, options.idempotency, options.logger);
  endTimeLimitWithResponse(app);
  addErrorPages(app);
  const servesReference = options.servesReference ?? true;
  addLandingPage(app, { servesReference, development: options.development?.landing });
  addApiReference(app, { ...options, isServed: servesReference });
  return app;
}

/** No route takes this path with this method. RFC 9110 §15.5.6: with another one, some may. */
function refuseUnrouted(
  request: FastifyRequest,
  reply: FastifyReply,
  { methodsOf, done }: { methodsOf: MethodFinder; done: (refusal: Error) => void },
): void {
  const methods = methodsOf(request);
  if (methods.length === 0) {
    done(notThere(request));
    return;
  }
  reply.header('allow', methods.join(', '));
  if (request.method === 'OPTIONS') reply.code(204).send();
  else done(new DomainError('method-not-allowed', `This path supports ${methods.join(', ')}.`));
}

function notThere(request: FastifyRequest): DomainError {
  if (partOfElements(request.raw) !== undefined)
    return new DomainError('not-found', 'The origin of the card fields does not serve this.');
  if (isForPeople(request)) return new DomainError('not-found', 'There is no such page.');
  return findUnserved(request.url) ?? new DomainError('not-found', 'This path is not part of the API.');
}

function addSharedHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header(traceIdHeader, request.id);
  reply.header('cache-control', 'no-store');
  reply.header('x-content-type-options', 'nosniff');
  allowCrossOrigin(request, reply);
}

/** Continues synchronously if there is nothing to wait for: a promise per request would cost more than the counting. */
function callWithOutcome(work: () => void | Promise<void>, proceed: (refusal?: Error) => void): void {
  let waiting: void | Promise<void>;
  try {
    waiting = work();
  } catch (error) {
    proceed(toError(error));
    return;
  }
  if (waiting === undefined) proceed();
  else waiting.then(() => proceed(), proceed);
}

function sendProblem(thrown: unknown, request: FastifyRequest, reply: FastifyReply, logger: Logger): void {
  const error = isAbandonment(thrown, request)
    ? new DomainError('malformed-request', problemCatalog['malformed-request'].meaning, { cause: thrown })
    : toDomainError(thrown);
  const { status } = problemCatalog[error.code];
  // A failing destination is not an error of the vault, and must not be able to fill the log. That the database is
  // unreachable has been logged once for all.
  if (status >= 500 && error.code !== 'destination-failed' && findOutage(error) === undefined)
    logger.error('request failed', {
      trace_id: request.id,
      route: routeOf(request),
      code: error.code,
      ...describeFailure(error),
    });
  // Text, so that neither the serializer of the route nor one of the framework has a say in it.
  reply.send(writeProblem(error, request, reply));
}

/** Sets status and headers, and returns the body. */
function writeProblem(error: DomainError, request: FastifyRequest, reply: FastifyReply): string {
  const { status } = problemCatalog[error.code];
  noteProblem(request, error.code);
  reply.code(status);
  // A rate limit has already set a more precise waiting time.
  if ((status === 503 || status === 429) && !reply.hasHeader('retry-after'))
    reply.header('retry-after', retryAfterSeconds);
  const problem = toProblem(error, {
    instance: toTemplate(routeOf(request)),
    traceId: request.id,
    ...(status === 503 ? { effect: describeEffect(request) } : {}),
  });
  if (isForPeople(request)) {
    addTextPageHeaders(reply);
    reply.type(pageType);
    return renderProblemPage(problem, request);
  }
  const { presentProblem } = request.routeOptions.config;
  reply.type(presentProblem === undefined ? problemContentType : 'application/json; charset=utf-8');
  return JSON.stringify(presentProblem?.(problem) ?? problem);
}

/** Whether the client disconnected while its body was being read: nobody receives the response, and it is not our error. */
function isAbandonment(thrown: unknown, request: FastifyRequest): boolean {
  return thrown instanceof Error && thrown === request.raw.errored;
}
