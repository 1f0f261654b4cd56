import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError, type ErrorCode } from '../../core/errors/domain-error.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { problemContentType, toProblem, unknownRoute } from './problem.ts';
import { problemCatalog } from './problem-catalog.ts';
import { makeTraceId, traceIdHeader } from '../connections/trace-id.ts';

/** The reasons for which Node closes a connection. Any other reason means invalid HTTP. */
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

/** Tracks what each connection is doing, so that an error response to invalid bytes is not mixed into another one. */
export function watchExchanges({ server }: FastifyInstance): void {
  server.on('request', (request, response) => exchanges.set(request.socket, { request, response }));
}

/** Sends a response to invalid HTTP and closes the connection. There is no request, so nothing else handles it. */
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
 * Returns true if the next bytes on this connection belong to a response. Either that response has started, or its
 * request has arrived completely and is being handled. In the first case, the client would read an error response as
 * part of that response. In the second case, it would take the error response for the actual one.
 */
function isAnswering(socket: object): boolean {
  const exchange = exchanges.get(socket);
  if (exchange === undefined || exchange.response.writableFinished) return false;
  return exchange.response.headersSent || exchange.request.complete;
}
