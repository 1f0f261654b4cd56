import type { FastifyInstance } from 'fastify';
import { createEdge, type EdgeOptions } from '../../src/http/edge/edge.ts';
import { rateLimitTable } from '../../src/platform/rate-limit/rate-limit-table.ts';
import { RateLimiter } from '../../src/platform/rate-limit/rate-limiter.ts';
import { requestTimeoutSeconds } from './deadline.ts';

/** Creates an edge on its own, without any keys, logs or metrics. */
export function createQuietEdge(more: Pick<EdgeOptions, 'elements' | 'proxyKeys'> = {}): Promise<FastifyInstance> {
  return createEdge({
    publicUrl: 'http://localhost',
    ownOrigins: [],
    authenticator: { authenticate: async () => undefined },
    limits: {
      limiter: new RateLimiter({ table: rateLimitTable }),
      countsRequests: true,
      trustedProxies: [],
      ownNetworks: [],
    },
    timeLimitSeconds: requestTimeoutSeconds,
    idempotency: { claim: async () => ({ kind: 'in-flight' }) },
    logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
    metrics: { observe: () => undefined },
    audit: { append: async () => undefined },
    ...more,
  });
}
