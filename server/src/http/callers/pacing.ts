import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { loopPace } from '../../platform/waiting/tenant-pace.ts';
import { weighWire } from '../../platform/waiting/work-weight.ts';
import { findCaller } from './authentication.ts';

/**
 * Delays requests of a tenant that has used more than its share of the event loop. This happens after authentication
 * and before the body is read. Requests without a key, and those of all other tenants, continue at once.
 */
export function addPacing(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    const caller = findCaller(request);
    const entering = caller === undefined ? undefined : loopPace.enter(caller.tenantId);
    if (caller === undefined || entering === undefined) return;
    try {
      const leave = await entering;
      reply.raw.once('close', leave);
    } catch (refusal) {
      reply.header('retry-after', Math.max(1, Math.ceil(loopPace.waitMsOf(caller.tenantId) / 1_000)));
      throw refusal;
    }
  });
  app.addHook('onResponse', (request, reply, done) => {
    chargeWire(request, sentBytes(reply));
    done();
  });
}

/** Charges the tenant of a request for the bytes sent and received. */
export function chargeWire(request: FastifyRequest, bytes: number): void {
  const caller = findCaller(request);
  if (caller !== undefined) loopPace.charge(caller.tenantId, weighWire(bytes));
}

function sentBytes(reply: FastifyReply): number {
  return Number(reply.getHeader('content-length') ?? 0);
}
