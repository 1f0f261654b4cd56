import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { DomainError } from '../core/errors/domain-error.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { HttpMetrics } from '../platform/telemetry/metrics.ts';
import { addApiReference } from './api-reference.ts';
import { type Authenticator, addAuthentication } from './authentication.ts';
import { addBodyParsers } from './body.ts';
import { addErrorPages } from './error-pages.ts';
import { problemContentType, toDomainError, toProblem } from './problem.ts';
import { problemCatalog } from './problem-catalog.ts';
import { addRequestLog, describeFailure, routeOf } from './request-log.ts';
import { requireDeclaredPermissions } from './route-config.ts';
import { chooseTraceId, traceIdHeader } from './trace-id.ts';
import { addValidation } from './validation.ts';

export interface EdgeOptions {
  readonly publicUrl: string;
  readonly authenticator: Authenticator;
  readonly logger: Logger;
  readonly metrics: HttpMetrics;
}

const bodySizeMax = 4 * 1024 * 1024;
const requestTimeoutMs = 30_000;
/** An id has up to 400 characters, each up to four bytes, each byte three characters when percent-encoded. */
const pathParameterMax = 400 * 4 * 3;
const retryAfterSeconds = 1;

/** The web server with everything that all routes share; features add their routes to it. */
export async function createEdge(options: EdgeOptions): Promise<FastifyInstance> {
  const app = fastify({
    logger: false,
    bodyLimit: bodySizeMax,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: 75_000,
    genReqId: chooseTraceId,
    requestIdHeader: false,
    // Answers of a draining server go out with `Connection: close` and the status they earned, not with a 503.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: pathParameterMax },
    frameworkErrors: (error, request, reply) => sendProblem(error, request, reply, options.logger),
    clientErrorHandler: refuseMalformedRequest,
  });

  app.addHook('onRequest', async (request, reply) => {
    reply.header(traceIdHeader, request.id);
    reply.header('cache-control', 'no-store');
    reply.header('x-content-type-options', 'nosniff');
  });
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply, options.logger));
  app.setNotFoundHandler(() => {
    throw new DomainError('not-found', 'This path is not part of the API.');
  });
  addRequestLog(app, options.logger, options.metrics);
  requireDeclaredPermissions(app);
  addAuthentication(app, options.authenticator);
  addBodyParsers(app);
  addValidation(app);
  addErrorPages(app);
  await addApiReference(app, options.publicUrl);
  return app;
}

function sendProblem(thrown: unknown, request: FastifyRequest, reply: FastifyReply, logger: Logger): void {
  const error = toDomainError(thrown);
  const { status } = problemCatalog[error.code];
  if (status >= 500)
    logger.error('request failed', {
      trace_id: request.id,
      route: routeOf(request),
      code: error.code,
      ...describeFailure(error),
    });
  if (status === 503) reply.header('retry-after', retryAfterSeconds);
  reply
    .code(status)
    .header('content-type', problemContentType)
    .serializer(JSON.stringify)
    .send(toProblem(error, toTemplate(routeOf(request))));
}

/** `/tokens/:id` as documentation writes it: `/tokens/{id}`. */
function toTemplate(route: string): string {
  return route.replaceAll(/:([a-zA-Z]+)/g, '{$1}');
}

/** Bytes that are not HTTP get a short answer and a closed connection; there is no request to answer to. */
function refuseMalformedRequest(
  _error: unknown,
  socket: { writable: boolean; end(text: string): void; destroy(): void },
): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
}
