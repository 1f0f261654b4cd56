import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Requests whose client waits for a 100 response before it sends the body, and will not get one. */
const heldBack = new WeakSet<FastifyRequest['raw']>();

/**
 * Sends a 100 only if the body can be accepted (RFC 9110 §10.1.1). A client that gets its final response without a 100
 * may or may not send the body. It is then unclear where its next request begins, so the connection is closed.
 */
export function answerExpectations({ server }: FastifyInstance, bodySizeMax: number): void {
  server.on('checkContinue', (request: FastifyRequest['raw'], response: FastifyReply['raw']) => {
    if (Number(request.headers['content-length'] ?? 0) > bodySizeMax) {
      heldBack.add(request);
      response.setHeader('connection', 'close');
    } else {
      response.writeContinue();
    }
    server.emit('request', request, response);
  });
}

export function isHeldBack(request: FastifyRequest['raw']): boolean {
  return heldBack.has(request);
}
