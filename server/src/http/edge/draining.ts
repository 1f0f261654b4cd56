import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** Returns true if a response should be the last on its connection, because the server is about to stop. */
    readonly isDraining: () => boolean;
  }
}

/**
 * Closes connections with their next response after a server is told to stop, so that clients open the next one to
 * another server. Otherwise connections in use would be closed at the end, and a request could be sent on one that was
 * just closed.
 */
export function closeConnectionsWhenDraining(
  app: FastifyInstance,
  drain: { readonly hasBegun: boolean } = { hasBegun: false },
): void {
  let isClosing = false;
  app.decorate('isDraining', () => isClosing || drain.hasBegun);
  app.addHook('preClose', async () => {
    isClosing = true;
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (app.isDraining()) reply.header('connection', 'close');
    done(null, payload);
  });
}
