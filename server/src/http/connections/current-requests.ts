import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** The last request on each connection, for as long as it is open. */
const current = new WeakMap<
  object,
  { readonly request: FastifyRequest['raw']; readonly response: FastifyReply['raw'] }
>();

/** Tracks what each connection is doing, so that an error response to invalid bytes is not mixed into another one. */
export function watchRequests({ server }: FastifyInstance): void {
  server.on('request', (request, response) => current.set(request.socket, { request, response }));
}

/**
 * Returns true if the next bytes on this connection belong to a response. Either that response has started, or its
 * request has arrived completely and is being handled. In the first case, the client would read an error response as
 * part of that response. In the second case, it would take the error response for the actual one.
 */
export function isAnswering(socket: object): boolean {
  const last = current.get(socket);
  if (last === undefined || last.response.writableFinished) return false;
  return last.response.headersSent || last.request.complete;
}

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
