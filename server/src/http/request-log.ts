import type { FastifyReply, FastifyRequest } from 'fastify';
import { membersOf } from '../core/objects/members-of.ts';
import { OperatorError } from '../core/errors/operator-error.ts';
import { DomainError } from '../core/errors/domain-error.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { HttpMetrics } from '../platform/telemetry/metrics.ts';
import { unknownRoute } from './problem.ts';

/** One line per request, with these fields and no others: never a path, a header or a body. */
export interface RequestLog {
  /** Also records the request in the metrics. */
  answered(request: FastifyRequest, reply: FastifyReply): void;
  /** The client disconnected before there was a response. */
  abandoned(request: FastifyRequest): void;
}

export function createRequestLog(logger: Logger, metrics: HttpMetrics): RequestLog {
  return {
    answered(request, reply) {
      const { id, method } = request;
      const route = routeOf(request);
      const status = reply.statusCode;
      metrics.observe({ method, route, status, seconds: reply.elapsedTime / 1_000 });
      const duration_ms = Math.round(reply.elapsedTime * 10) / 10;
      logger.info('request', { trace_id: id, method, route, status, duration_ms });
    },
    abandoned(request) {
      logger.info('request abandoned', { trace_id: request.id, method: request.method, route: routeOf(request) });
    },
  };
}

export function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? unknownRoute;
}

/** What an operator may see of an error: where it happened, but not the message, which could quote a value, unless it is ours. */
export function describeFailure(error: unknown): {
  readonly error: string;
  readonly sql_state?: string;
  readonly stack: string;
  readonly advice?: string;
} {
  const cause = error instanceof DomainError && error.cause !== undefined ? error.cause : error;
  if (!(cause instanceof Error)) return { error: 'unknown', stack: '' };
  const { sqlState } = membersOf(cause);
  return {
    error: cause.name,
    ...(typeof sqlState !== 'string' ? {} : { sql_state: sqlState }),
    stack: framesOf(cause).slice(0, 12).join('\n'),
    ...(cause instanceof OperatorError ? { advice: cause.message } : {}),
  };
}

/** The stack starts with the message, which may have lines that look like frames: it is removed before frames are read. */
function framesOf({ stack = '', message }: Error): string[] {
  const at = stack.indexOf(message);
  const frames = at < 0 ? stack : stack.slice(at + message.length);
  return frames.split('\n').filter((line) => line.trimStart().startsWith('at '));
}
