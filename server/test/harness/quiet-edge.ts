import type { FastifyInstance } from 'fastify';
import { createEdge } from '../../src/http/edge.ts';

/** The edge by itself: it knows no key, logs nothing and measures nothing. */
export function createQuietEdge(): Promise<FastifyInstance> {
  return createEdge({
    publicUrl: 'http://localhost',
    authenticator: { authenticate: async () => undefined },
    logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
    metrics: { observe: () => undefined },
    audit: { append: async () => undefined },
  });
}
