import diagnostics from 'node:diagnostics_channel';
import type { FastifyInstance, RouteOptions } from 'fastify';

/** What `start` starts, and the routes of each web server that was made meanwhile, in the order in which they were made. */
export async function tapRoutes<T>(start: () => Promise<T>): Promise<{ started: T; servers: RouteOptions[][] }> {
  const servers: RouteOptions[][] = [];
  const listen = (message: unknown) => {
    const routes: RouteOptions[] = [];
    servers.push(routes);
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRoute', (route) => void routes.push(route));
  };
  diagnostics.subscribe('fastify.initialization', listen);
  try {
    return { started: await start(), servers };
  } finally {
    diagnostics.unsubscribe('fastify.initialization', listen);
  }
}
