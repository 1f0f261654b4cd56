import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Requests whose client waits for our word before it sends the body, and will not get it. */
const heldBack = new WeakSet<FastifyRequest['raw']>();

/**
 * Asks for a body only where it can be taken (RFC 9110 §10.1.1). A client that gets its final response without having been
 * asked may send the body or not, so nobody could tell where its next request begins: the connection ends there.
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
