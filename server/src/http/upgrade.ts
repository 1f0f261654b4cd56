import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** The request with which each connection ends. */
const lastRequests = new WeakMap<object, FastifyRequest['raw']>();

/**
 * Serves a request that asks for another protocol as if it did not (RFC 9110 §7.8), and nothing after it. Node leaves out
 * bytes that come behind it, so the next thing that it takes for a request may be the body of one.
 */
export function endConnectionsThatUpgrade({ server }: FastifyInstance): void {
  server.prependListener('request', (request: FastifyRequest['raw'], response: FastifyReply['raw']) => {
    if (request.headers.upgrade === undefined || isBehindUpgrade(request)) return;
    lastRequests.set(request.socket, request);
    response.setHeader('connection', 'close');
  });
}

/** Whether nothing may be done for this request. Its connection is closed after the response to the one before. */
export function isBehindUpgrade(request: FastifyRequest['raw']): boolean {
  const last = lastRequests.get(request.socket);
  return last !== undefined && last !== request;
}
