import { fastify, type FastifyInstance, type FastifyRequest } from 'fastify';
import { tokenLimits } from '../../core/token-limits.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { bodySizeMax } from '../bodies/body.ts';
import type { RateLimits } from '../callers/rate-limit.ts';
import { addSharedHeaders, countRequest, findTargetProblem } from './first-look.ts';
import { longestTimeMs } from '../connections/time-limit.ts';
import { chooseTraceId } from '../connections/trace-id.ts';
import { type ElementsOrigin, originStrategy } from '../origins/elements-origin.ts';
import { refuseMalformedRequest } from '../problems/malformed-request.ts';
import type { RequestLog } from '../requests/request-log.ts';
import { sendProblem } from './answer-failure.ts';

const requestTimeoutMs = 30_000;
const headersTimeoutMs = 10_000;
/** The minimum timeout for an idle connection during a request. It is longer than any request takes. */
const stillTimeoutMinMs = 60_000;
const stillMarginMs = 5_000;
/** The interval in which connections are checked for these timeouts. A limit is exceeded by this much at most. */
const timeoutCheckMs = 5_000;
/**
 * The maximum length of a path parameter. Each character of an id has up to four bytes, and each byte takes three
 * characters when percent-encoded.
 */
const pathParameterMax = tokenLimits.idLengthMax * 4 * 3;

/**
 * Creates the web framework with its own limits, and with the vault's error responses for requests that it rejects
 * before any hook.
 */
export function openFramework(parts: {
  readonly timeLimitSeconds: number;
  readonly elements: ElementsOrigin | undefined;
  readonly limits: RateLimits;
  readonly requestLog: RequestLog;
  readonly logger: Logger;
}): FastifyInstance {
  const { timeLimitSeconds, elements, limits, requestLog, logger } = parts;
  return fastify({
    logger: false,
    bodyLimit: bodySizeMax,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: Math.max(stillTimeoutMinMs, longestTimeMs(timeLimitSeconds) + stillMarginMs),
    keepAliveTimeout: 75_000,
    http: {
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: timeoutCheckMs,
      // A missing host is rejected with other host errors, in the vault's error format.
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
    // No hooks run for these errors, so their work is done here.
    frameworkErrors: (error, request, reply) => {
      addSharedHeaders(request, reply);
      reply.raw.once('finish', () => requestLog.answered(request, reply));
      const problem = findTargetProblem(request.raw, request.originalUrl) ?? error;
      countRequest(limits, { request, reply }, (refusal) => sendProblem(refusal ?? problem, request, reply, logger));
    },
    clientErrorHandler: (error, socket) => refuseMalformedRequest(error, socket, logger),
  });
}
