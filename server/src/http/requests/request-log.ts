import type { FastifyReply, FastifyRequest } from 'fastify';
import { membersOf } from '../../core/objects/members-of.ts';
import { OperatorError } from '../../core/errors/operator-error.ts';
import { DomainError, type ErrorCode } from '../../core/errors/domain-error.ts';
import type { LogFields, Logger } from '../../platform/telemetry/logger.ts';
import { findCaller } from '../callers/authentication.ts';
import { unknownRoute } from '../problems/problem.ts';
import { findRequestSpan, type RequestFacts } from './request-trace.ts';
import { type RequestWatcher, toSeenRequest } from './seen-request.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';

const presented = Symbol('code of the problem in the response');

declare module 'fastify' {
  interface FastifyRequest {
    [presented]?: ErrorCode;
  }
}

/** Remembers why the request fails, for its line in the log. */
export function noteProblem(request: FastifyRequest, code: ErrorCode): void {
  request[presented] = code;
}

/** Logs one line per request, with these fields and no others. A line never has a path, a header or a body. */
export interface RequestLog {
  /** Logs the response, and records the request in the metrics. */
  answered(request: FastifyRequest, reply: FastifyReply): void;
  /** Logs that the client disconnected before there was a response. */
  abandoned(request: FastifyRequest): void;
}

/**
 * Creates the log. `watch` sees the same requests with their paths. It is meant for a developer's terminal, never for a
 * log.
 */
export function createRequestLog(logger: Logger, metrics: HttpMetrics, watch?: RequestWatcher): RequestLog {
  return {
    answered(request, reply) {
      const { id, method } = request;
      const route = routeOf(request);
      const status = reply.statusCode;
      const code = request[presented];
      metrics.observe({ method, route, status, seconds: reply.elapsedTime / 1_000, code });
      const duration_ms = Math.round(reply.elapsedTime * 10) / 10;
      logger.info('request', {
        trace_id: id,
        method,
        route,
        status,
        duration_ms,
        ...describeCaller(request),
        ...describeTrace(request),
        ...(code === undefined ? {} : { code }),
        ...(request.unknownMembers > 0 ? { unknown_members: request.unknownMembers } : {}),
      });
      watch?.(toSeenRequest(request, reply));
    },
    abandoned(request) {
      watch?.(toSeenRequest(request));
      const { id, method } = request;
      logger.info('request abandoned', {
        trace_id: id,
        method,
        route: routeOf(request),
        ...describeCaller(request),
        ...describeTrace(request),
      });
    },
  };
}

/**
 * Returns the facts for the span of a request. The only fact about the caller is its tenant, because the log line has
 * the other ids.
 */
export const spanFactsOf: RequestFacts = (request, { statusCode, raw }) => {
  const caller = findCaller(request);
  const code = request[presented];
  return {
    attributes: {
      // A client that disconnected has not received a status.
      ...(raw.writableFinished ? { 'http.response.status_code': statusCode } : {}),
      ...(code === undefined ? {} : { 'error.type': code }),
      ...(caller === undefined ? {} : { 'strongroom.tenant_id': caller.tenantId }),
    },
    isFailure: raw.writableFinished && statusCode >= 500,
  };
};

/** Returns the trace id by which a trace collector finds the request, if it is traced. */
function describeTrace(request: FastifyRequest): Pick<LogFields, 'otel_trace_id'> {
  const span = findRequestSpan(request);
  return span === undefined ? {} : { otel_trace_id: span.traceId };
}

export function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? unknownRoute;
}

/** Returns only ids, and nothing for a request without a valid key or session. */
function describeCaller(
  request: FastifyRequest,
): Pick<LogFields, 'tenant_id' | 'application_id' | 'key_id' | 'user_id'> {
  const caller = findCaller(request);
  if (caller === undefined) return {};
  const { tenantId: tenant_id } = caller;
  if ('userId' in caller) return { tenant_id, user_id: caller.userId };
  return { tenant_id, application_id: caller.applicationId, key_id: caller.keyId };
}

/**
 * Returns what an operator may see of an error. That includes where it happened, but only the vault's own messages,
 * because others could quote a value.
 */
export function describeFailure(error: unknown): {
  readonly error: string;
  readonly sql_state?: string;
  readonly stack?: string;
  readonly advice?: string;
} {
  // The error was thrown on purpose, for example for a full queue, so its location is known.
  if (error instanceof DomainError && error.cause === undefined) return { error: error.name };
  const cause = error instanceof DomainError ? error.cause : error;
  if (!(cause instanceof Error)) return { error: 'unknown' };
  const { sqlState } = membersOf(cause);
  return {
    error: cause.name,
    ...(typeof sqlState !== 'string' ? {} : { sql_state: sqlState }),
    stack: framesOf(cause).slice(0, 12).join('\n'),
    ...(cause instanceof OperatorError ? { advice: cause.message } : {}),
  };
}

/**
 * Returns the frames of the stack. The message at its beginning may have lines that look like frames, so it is removed
 * first.
 */
function framesOf({ stack = '', message }: Error): string[] {
  const at = stack.indexOf(message);
  const frames = at < 0 ? stack : stack.slice(at + message.length);
  return frames.split('\n').filter((line) => line.trimStart().startsWith('at '));
}

/**
 * Codes that are counted from 0, so that the first occurrence is visible as an increase. `deploy/monitoring/rules`
 * alerts on small numbers of these.
 */
const watchedCodes: readonly ErrorCode[] = ['internal-error', 'unauthenticated', 'forbidden'];

export interface HttpMetrics {
  /** Records a request. `code` is the code of the problem in the response, if there is one. */
  observe(request: { method: string; route: string; status: number; seconds: number; code: string | undefined }): void;
}

export function createHttpMetrics(metrics: Metrics): HttpMetrics {
  const requests = metrics.addHistogram(
    'strongroom_http_request_seconds',
    'Time from the first byte of a request to the last byte of its response.',
    {
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    },
  );
  const problems = metrics.addCounter(
    'strongroom_http_problems_total',
    'Responses that describe a problem, by its code. Denied attempts are forbidden and unauthenticated.',
    ['code'],
  );
  for (const code of watchedCodes) problems.inc({ code }, 0);
  return {
    observe({ method, route, status, seconds, code }) {
      requests.observe({ method, route, status: String(status) }, seconds);
      if (code !== undefined) problems.inc({ code }, 1);
    },
  };
}
