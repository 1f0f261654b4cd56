import { DomainError, type ErrorCode } from '../core/errors/domain-error.ts';
import { problemContentType, toProblem, unknownRoute } from './problem.ts';
import { problemCatalog } from './problem-catalog.ts';

/** Why Node gave a connection up, where it says so; everything else is not HTTP. */
const causes: ReadonlyMap<unknown, ErrorCode> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request-timeout'],
  ['HPE_HEADER_OVERFLOW', 'header-too-large'],
]);

/** Bytes that are not HTTP get an answer and a closed connection; there is no request, so nothing else sees them. */
export function refuseMalformedRequest(
  error: { readonly code?: unknown },
  socket: { readonly writable: boolean; end(text: string): void; destroy(): void },
): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const code = causes.get(error.code) ?? 'malformed-request';
  const { status, title, meaning } = problemCatalog[code];
  const body = JSON.stringify(toProblem(new DomainError(code, meaning), unknownRoute));
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    `Content-Type: ${problemContentType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
