import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** The last request that is served on each connection. */
const lastRequests = new WeakMap<object, FastifyRequest['raw']>();

/**
 * Serves a request for a protocol upgrade as an ordinary request (RFC 9110 §7.8), and handles no later request on its
 * connection. Node drops bytes that follow such a request, so the bytes that it parses as the next request may be part
 * of a body.
 */
export function endConnectionsThatUpgrade({ server }: FastifyInstance): void {
  server.prependListener('request', (request: FastifyRequest['raw'], response: FastifyReply['raw']) => {
    if (request.headers.upgrade === undefined || isBehindUpgrade(request)) return;
    lastRequests.set(request.socket, request);
    response.setHeader('connection', 'close');
  });
}

/**
 * Returns true if this request must not be handled. Its connection is closed after the response to the previous one.
 */
export function isBehindUpgrade(request: FastifyRequest['raw']): boolean {
  const last = lastRequests.get(request.socket);
  return last !== undefined && last !== request;
}
