import type { FastifyRequest } from 'fastify';
import { DomainError } from '../../core/errors/domain-error.ts';

/**
 * Rejects requests that another site made a browser send. Browsers report the source of a request in `Sec-Fetch-Site`,
 * which no page can set. Older browsers send `Origin`. A client that sends neither is not a browser showing a page of
 * the vault.
 */
export function requireSameOrigin({ headers }: FastifyRequest, publicUrl: string): void {
  const site = headers['sec-fetch-site'];
  const isOwn = site === undefined ? headers.origin === new URL(publicUrl).origin : site === 'same-origin';
  if (!isOwn) throw new DomainError('forbidden', 'This request did not come from a page of this vault.');
}
