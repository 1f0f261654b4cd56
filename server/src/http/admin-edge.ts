import { fastify, type FastifyInstance } from 'fastify';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import { withinTime } from '../platform/waiting/within-time.ts';

/** Something that must work before the server takes traffic. Throws if it does not. */
export interface ReadinessCheck {
  readonly name: string;
  readonly check: () => Promise<void>;
}

/** Shorter than the timeout of typical probes: a late response is as good as none. */
const checkTimeoutMs = 900;

/** Health and metrics, on a separate port that is not reachable from outside. */
export function createAdminEdge(options: {
  readonly checks: readonly ReadinessCheck[];
  readonly metrics: Metrics;
}): FastifyInstance {
  const { checks, metrics } = options;
  const app = fastify({ logger: false, requestTimeout: 10_000 });

  app.get('/livez', () => ({ status: 'ok' }));
  app.get<{ Querystring: { verbose?: string } }>('/readyz', async (request, reply) => {
    const results = await Promise.all(checks.map(run));
    const isReady = results.every(({ status }) => status === 'ok');
    reply.code(isReady ? 200 : 503);
    const summary = { status: isReady ? 'ok' : 'unavailable' };
    return request.query.verbose === undefined ? summary : { ...summary, checks: results };
  });
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.render()));
  return app;
}

async function run({ name, check }: ReadinessCheck): Promise<{ name: string; status: 'ok' | 'unavailable' }> {
  try {
    await withinTime(check(), checkTimeoutMs, 'The check took too long.');
    return { name, status: 'ok' };
  } catch {
    return { name, status: 'unavailable' };
  }
}
