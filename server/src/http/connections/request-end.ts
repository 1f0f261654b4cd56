import type { FastifyReply, FastifyRequest } from 'fastify';

type Connection = FastifyRequest['raw']['socket'];

/**
 * The callbacks that have not been called yet, by connection. A connection has one listener, however many requests a
 * client pipelines.
 */
const endings = new WeakMap<Connection, Set<() => void>>();

/**
 * Calls `end` once, when the response has been passed to the operating system or when its connection has closed. A
 * response that is queued behind another one emits no event when the connection closes, so the connection is monitored
 * too.
 */
export function whenOver(request: FastifyRequest, response: FastifyReply['raw'], end: () => void): void {
  const { socket } = request.raw;
  if (socket.destroyed || response.writableFinished) {
    end();
    return;
  }
  const waiting = endings.get(socket) ?? watch(socket);
  const settle = () => {
    if (!waiting.delete(settle)) return;
    response.off('finish', settle).off('close', settle);
    end();
  };
  waiting.add(settle);
  response.on('finish', settle).on('close', settle);
}

function watch(socket: Connection): Set<() => void> {
  const waiting = new Set<() => void>();
  endings.set(socket, waiting);
  socket.once('close', () => {
    for (const settle of waiting) settle();
  });
  return waiting;
}
