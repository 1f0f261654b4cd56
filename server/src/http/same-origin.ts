import type { FastifyRequest } from 'fastify';
import { DomainError } from '../core/errors/domain-error.ts';

/**
 * Refuses what another site makes a browser send. Browsers say themselves where a request comes from, in a header that no
 * page can set; older ones name the origin. Whoever sends neither is not a browser with our page in it.
 */
export function requireSameOrigin({ headers }: FastifyRequest, publicUrl: string): void {
  const site = headers['sec-fetch-site'];
  const isOwn = site === undefined ? headers.origin === new URL(publicUrl).origin : site === 'same-origin';
  if (!isOwn) throw new DomainError('forbidden', 'This request did not come from a page of this vault.');
}
