import { DomainError, type ErrorCode } from '../../core/errors/domain-error.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { problemContentType, toProblem, unknownRoute } from './problem.ts';
import { problemCatalog } from './problem-catalog.ts';
import { isAnswering } from '../connections/current-requests.ts';
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
