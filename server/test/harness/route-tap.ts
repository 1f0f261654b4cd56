import diagnostics from 'node:diagnostics_channel';
import type { FastifyInstance, RouteOptions } from 'fastify';

/** Returns the result of `start`, and the routes of each web server that it created, in order of creation. */
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

/** Does the same as `tapRoutes` for a vault, and returns only the routes of its API. */
export async function tapApi<T>(start: () => Promise<T>): Promise<{ started: T; routes: RouteOptions[] }> {
  const { started, servers } = await tapRoutes(start);
  const served = servers.find((own) => own.some(({ url }) => url === '/openapi.json')) ?? [];
  return { started, routes: served.filter(({ schema, method }) => schema?.hide !== true && method !== 'HEAD') };
}
