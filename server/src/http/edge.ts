import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { DomainError } from '../core/errors/domain-error.ts';
import { tokenLimits } from '../core/token-limits.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { HttpMetrics } from '../platform/telemetry/metrics.ts';
import { addApiReference } from './api-reference.ts';
import { type Authenticator, addAuthentication } from './authentication.ts';
import { addBodyParsers, bodySizeMax } from './body.ts';
import { BodyMemory, responseMemoryLimits } from './body-memory.ts';
import { addBodyReader } from './body-reader.ts';
import { type AttemptLog, recordFailedAttempt } from './failed-attempt.ts';
import { createClientFinder } from './client-address.ts';
import { allowCrossOrigin, answerPreflight, isPreflight } from './cross-origin.ts';
import { addErrorPages } from './error-pages.ts';
import { answerExpectations } from './expectation.ts';
import { addIdempotency, type IdempotencyKeeper } from './idempotency.ts';
import { addLingering } from './lingering.ts';
import { refuseMalformedRequest, watchExchanges } from './malformed-request.ts';
import { addPacing } from './pacing.ts';
import { problemContentType, toDomainError, toProblem } from './problem.ts';
import { problemCatalog } from './problem-catalog.ts';
import { createRateLimits, type RequestLimits } from './rate-limit.ts';
import { createRequestLog, describeFailure, routeOf } from './request-log.ts';
import { findTargetProblem } from './request-target.ts';
import { addResponseMemory } from './response-memory.ts';
import { requireDeclaredPermissions } from './route-config.ts';
import { chooseTraceId, traceIdHeader } from './trace-id.ts';
import { endConnectionsThatUpgrade, isBehindUpgrade } from './upgrade.ts';
import { addValidation } from './validation.ts';

export interface EdgeOptions {
  readonly publicUrl: string;
  readonly authenticator: Authenticator;
  readonly limits: RequestLimits;
  readonly idempotency: IdempotencyKeeper;
  readonly logger: Logger;
  readonly metrics: HttpMetrics;
  readonly audit: AttemptLog;
  readonly bodyMemory?: BodyMemory;
  /** Whether `/docs` and `/openapi.json` are there; they are unless an operator has decided otherwise. */
  readonly servesReference?: boolean;
}

const requestTimeoutMs = 30_000;
const headersTimeoutMs = 10_000;
/** For a connection on which nothing moves while a request is under way; twice what a proxied call may take. */
const stillTimeoutMs = 60_000;
/** How often connections are looked at for these two: a limit is overrun by this much at most. */
const timeoutCheckMs = 5_000;
/** Each character of an id has up to four bytes, each byte three characters when percent-encoded. */
const pathParameterMax = tokenLimits.idLengthMax * 4 * 3;
const retryAfterSeconds = 1;

/** The web server with everything that all routes share; features add their routes to it. */
export async function createEdge(options: EdgeOptions): Promise<FastifyInstance> {
  const requestLog = createRequestLog(options.logger, options.metrics);
  const clientOf = createClientFinder(options.limits.trustedProxies);
  const limits = createRateLimits(options.limits, clientOf);
  const count = (request: FastifyRequest, reply: FastifyReply, proceed: (refusal?: Error) => void) =>
    callWithOutcome(() => limits.countRequest(request, reply), proceed);
  const app = fastify({
    logger: false,
    bodyLimit: bodySizeMax,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: stillTimeoutMs,
    keepAliveTimeout: 75_000,
    http: {
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: timeoutCheckMs,
      // Refused with everything else that is wrong about the host, in the form of our own.
      requireHostHeader: false,
    },
    genReqId: chooseTraceId,
    requestIdHeader: false,
    // Answers of a draining server go out with the status they earned, not with a 503.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: pathParameterMax },
    // No hook runs for these, so what hooks do for other requests is done here.
    frameworkErrors: (error, request, reply) => {
      addSharedHeaders(request, reply);
      reply.raw.once('finish', () => requestLog.answered(request, reply));
      const problem = findTargetProblem(request.raw) ?? error;
      count(request, reply, (refusal) => sendProblem(refusal ?? problem, request, reply, options.logger));
    },
    clientErrorHandler: refuseMalformedRequest,
  });

  app.addHook('onRequest', (request, reply, done) => {
    if (isBehindUpgrade(request.raw)) {
      reply.hijack();
      return;
    }
    addSharedHeaders(request, reply);
    const problem = findTargetProblem(request.raw);
    if (problem !== undefined) {
      reply.header('connection', 'close');
      done(problem);
      return;
    }
    if (isPreflight(request)) {
      answerPreflight(reply);
      return;
    }
    count(request, reply, (refusal) => {
      // Here and not in a handler, which would come after the body was read and judged.
      const isUnknown = refusal === undefined && request.is404;
      done(isUnknown ? new DomainError('not-found', 'This path is not part of the API.') : refusal);
    });
  });
  app.addHook('onResponse', (request, reply, done) => {
    requestLog.answered(request, reply);
    done();
  });
  app.addHook('onRequestAbort', async (request) => requestLog.abandoned(request));
  app.setErrorHandler(async (error, request, reply) => {
    sendProblem(await recordFailedAttempt(error, request, options.audit), request, reply, options.logger);
    return reply;
  });
  watchExchanges(app);
  answerExpectations(app, bodySizeMax);
  endConnectionsThatUpgrade(app);
  closeConnectionsWhenDraining(app);
  requireDeclaredPermissions(app);
  app.decorateRequest('clientAddress', {
    getter(this: FastifyRequest) {
      return clientOf(this).address;
    },
  });
  addAuthentication(app, { authenticator: options.authenticator, limits, clientOf });
  addPacing(app);
  addLingering(app);
  addBodyReader(app, { memory: options.bodyMemory ?? new BodyMemory(), clientOf });
  addBodyParsers(app);
  addResponseMemory(app, { memory: new BodyMemory(responseMemoryLimits), clientOf });
  addValidation(app);
  addIdempotency(app, options.idempotency, options.logger);
  addErrorPages(app);
  await addApiReference(app, { publicUrl: options.publicUrl, isServed: options.servesReference ?? true });
  return app;
}

function addSharedHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header(traceIdHeader, request.id);
  reply.header('cache-control', 'no-store');
  reply.header('x-content-type-options', 'nosniff');
  allowCrossOrigin(request, reply);
}

/** Goes on at once where nothing has to be waited for: a promise for every request would cost more than the counting. */
function callWithOutcome(work: () => void | Promise<void>, proceed: (refusal?: Error) => void): void {
  let waiting: void | Promise<void>;
  try {
    waiting = work();
  } catch (error) {
    proceed(error as Error);
    return;
  }
  if (waiting === undefined) proceed();
  else waiting.then(() => proceed(), proceed);
}

/** Node leaves a connection open that was busy when the server began to close: its answer has to say that it is the last. */
function closeConnectionsWhenDraining(app: FastifyInstance): void {
  let isDraining = false;
  app.addHook('preClose', async () => {
    isDraining = true;
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isDraining) reply.header('connection', 'close');
    done(null, payload);
  });
}

function sendProblem(thrown: unknown, request: FastifyRequest, reply: FastifyReply, logger: Logger): void {
  const error = isAbandonment(thrown, request)
    ? new DomainError('malformed-request', problemCatalog['malformed-request'].meaning, { cause: thrown })
    : toDomainError(thrown);
  const { status } = problemCatalog[error.code];
  // A destination that fails is no failure of ours, and must not be able to fill the log.
  if (status >= 500 && error.code !== 'destination-failed')
    logger.error('request failed', {
      trace_id: request.id,
      route: routeOf(request),
      code: error.code,
      ...describeFailure(error),
    });
  // A limit knows better how long to wait, and has said so.
  if ((status === 503 || status === 429) && !reply.hasHeader('retry-after'))
    reply.header('retry-after', retryAfterSeconds);
  const problem = toProblem(error, toTemplate(routeOf(request)));
  const { presentProblem } = request.routeOptions.config;
  reply
    .code(status)
    .header('content-type', presentProblem === undefined ? problemContentType : 'application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(presentProblem?.(problem) ?? problem);
}

/** `/tokens/:id` as documentation writes it: `/tokens/{id}`. */
function toTemplate(route: string): string {
  return route.replaceAll(/:([a-zA-Z]+)/g, '{$1}');
}

/** Whether the client went away while its body was being read: nobody hears the answer, and nothing of ours failed. */
function isAbandonment(thrown: unknown, request: FastifyRequest): boolean {
  return thrown instanceof Error && thrown === request.raw.errored;
}
