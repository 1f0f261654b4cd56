import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError, type ErrorCode } from '../../core/errors/domain-error.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { problemContentType, toProblem, unknownRoute } from './problem.ts';
import { problemCatalog } from './problem-catalog.ts';
import { makeTraceId, traceIdHeader } from '../connections/trace-id.ts';

/** Why Node closed a connection, if it says so; everything else is not HTTP. */
const causes: ReadonlyMap<unknown, ErrorCode> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request-timeout'],
  ['HPE_HEADER_OVERFLOW', 'header-too-large'],
]);

interface Connection {
  readonly writable: boolean;
  end(text: string): void;
  destroy(): void;
}

/** The last exchange on each connection, for as long as it is open. */
const exchanges = new WeakMap<
  object,
  { readonly request: FastifyRequest['raw']; readonly response: FastifyReply['raw'] }
>();

/** Tracks what each connection is doing, so that an error response to invalid bytes is not mixed into another response. */
export function watchExchanges({ server }: FastifyInstance): void {
  server.on('request', (request, response) => exchanges.set(request.socket, { request, response }));
}

/** Invalid HTTP gets a response and a closed connection; there is no request, so nothing else handles it. */
export function refuseMalformedRequest(
  error: { readonly code?: unknown },
  socket: Connection,
  logger: Pick<Logger, 'info'>,
): void {
  if (!socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const code = causes.get(error.code) ?? 'malformed-request';
  const { status, title, meaning } = problemCatalog[code];
  const traceId = makeTraceId();
  const body = JSON.stringify(toProblem(new DomainError(code, meaning), { instance: unknownRoute, traceId }));
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    `Content-Type: ${problemContentType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `${traceIdHeader}: ${traceId}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  logger.info('request refused', { trace_id: traceId, route: unknownRoute, status, code });
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/**
 * Whether the next bytes on this connection belong to a response: one that has started, or one to a request that has
 * arrived completely and is being handled. An error response would be taken for part of the first, or for the second.
 */
function isAnswering(socket: object): boolean {
  const exchange = exchanges.get(socket);
  if (exchange === undefined || exchange.response.writableFinished) return false;
  return exchange.response.headersSent || exchange.request.complete;
}
