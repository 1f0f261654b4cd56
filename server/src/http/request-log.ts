import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DomainError } from '../core/errors/domain-error.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { HttpMetrics } from '../platform/telemetry/metrics.ts';

/** One line and one measurement a request, made of the fields named here and no others: never a path, a header or a body. */
export function addRequestLog(app: FastifyInstance, logger: Logger, metrics: HttpMetrics): void {
  app.addHook('onResponse', async (request, reply) => {
    const route = routeOf(request);
    const seconds = reply.elapsedTime / 1_000;
    metrics.observe({ method: request.method, route, status: reply.statusCode, seconds });
    logger.info('request', {
      trace_id: request.id,
      method: request.method,
      route,
      status: reply.statusCode,
      duration_ms: Math.round(reply.elapsedTime * 10) / 10,
    });
  });
}

export function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? 'unknown';
}

/** What an operator may see of a failure: where it happened, never the text, which could quote a value. */
export function describeFailure(error: unknown): {
  readonly error: string;
  readonly sql_state?: string;
  readonly stack: string;
} {
  const cause = error instanceof DomainError && error.cause !== undefined ? error.cause : error;
  const { name = 'unknown', stack = '', sqlState } = cause as { name?: string; stack?: string; sqlState?: string };
  const frames = stack.split('\n').filter((line) => line.trimStart().startsWith('at '));
  return {
    error: name,
    ...(sqlState === undefined ? {} : { sql_state: sqlState }),
    stack: frames.slice(0, 12).join('\n'),
  };
}
