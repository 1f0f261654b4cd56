import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether a response should be the last on its connection, because the server is about to stop. */
    readonly isDraining: () => boolean;
  }
}

/**
 * From the moment a server is told to stop, every response closes its connection: a client opens the next one to a server that
 * stays. Otherwise the connections that are in use would be left for the end, when a request could meet one just closed.
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
