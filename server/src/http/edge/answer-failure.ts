import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../core/errors/domain-error.ts';
import { findOutage } from '../../platform/database/database-error.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { addTextPageHeaders, pageType } from '../pages/page-reply.ts';
import { problemContentType, toDomainError, toProblem } from '../problems/problem.ts';
import { problemCatalog } from '../problems/problem-catalog.ts';
import { isForPeople, renderProblemPage } from '../problems/problem-page.ts';
import { describeFailure, noteProblem, routeOf } from '../requests/request-log.ts';
import { toTemplate } from '../routes/route-template.ts';
import { describeEffect } from './effect-of-refusal.ts';

const retryAfterSeconds = 1;

/** Sends the response to a failed request, and logs it if it is an error of the vault. */
export function sendProblem(thrown: unknown, request: FastifyRequest, reply: FastifyReply, logger: Logger): void {
  const error = isAbandonment(thrown, request)
    ? new DomainError('malformed-request', problemCatalog['malformed-request'].meaning, { cause: thrown })
    : toDomainError(thrown);
  const { status } = problemCatalog[error.code];
  // A failing destination is not an error of the vault, and must not be able to fill the log. An unreachable database
  // has already been logged once for all requests.
  if (status >= 500 && error.code !== 'destination-failed' && findOutage(error) === undefined)
    logger.error('request failed', {
      trace_id: request.id,
      route: routeOf(request),
      code: error.code,
      ...describeFailure(error),
    });
  // The response is sent as text, so that no serializer of the route or the framework changes it.
  reply.send(writeProblem(error, request, reply));
}

/** Sets status and headers, and returns the body. */
export function writeProblem(error: DomainError, request: FastifyRequest, reply: FastifyReply): string {
  const { status } = problemCatalog[error.code];
  noteProblem(request, error.code);
  reply.code(status);
  // A rate limit has already set a more precise delay.
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

/**
 * Returns true if the client disconnected while its body was being read. In that case, nobody receives the response,
 * and the failure is not an error of the vault.
 */
function isAbandonment(thrown: unknown, request: FastifyRequest): boolean {
  return thrown instanceof Error && thrown === request.raw.errored;
}
