import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../core/errors/domain-error.ts';
import type { Identity } from '../../core/identity/caller.ts';
import { partOfElements } from './elements-origin.ts';

/** The time for which a browser may cache a preflight response. Two hours is the most that any browser allows. */
const preflightMaxAgeSeconds = 7_200;
const exposedHeaders = [
  'bt-trace-id',
  'retry-after',
  'bt-proxy-destination-status',
  'x-ratelimit-reset',
  'ratelimit',
  'ratelimit-policy',
  'location',
].join(', ');
const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE';

/** Returns true for a preflight request. It carries no key, so the response cannot depend on one. */
export function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

export function answerPreflight(reply: FastifyReply): FastifyReply {
  return (
    reply
      .code(204)
      .header('access-control-allow-origin', '*')
      .header('access-control-allow-methods', methods)
      // Every origin is allowed because credentials are not: keys are sent in a header, not in a cookie.
      .header('access-control-allow-headers', '*')
      .header('access-control-max-age', preflightMaxAgeSeconds)
      .send()
  );
}

/** Lets pages of any origin read the response. This is narrowed when the owner of the key is known. */
export function allowCrossOrigin(request: FastifyRequest, reply: FastifyReply): void {
  if (request.headers.origin === undefined) return;
  reply.header('access-control-allow-origin', '*');
  reply.header('access-control-expose-headers', exposedHeaders);
}

/**
 * Restricts which pages may use a key. A private or management key in a browser is a mistake, so the page that uses one
 * cannot read the response. If a public application lists its origins, only pages of these and of the vault itself may
 * use its keys and sessions.
 */
export function restrictCrossOrigin(
  identity: Identity,
  { request, reply, ownOrigins }: { request: FastifyRequest; reply: FastifyReply; ownOrigins: readonly string[] },
): void {
  if (identity.applicationType !== 'public' && identity.session === undefined) {
    refuseToAllPages(reply);
    return;
  }
  const { origin } = request.headers;
  const { allowedOrigins } = identity;
  // The `Origin` header is sent only by browsers, and with every cross-origin request. The list protects against pages,
  // not against programs.
  if (allowedOrigins === undefined || origin === undefined) return;
  const isOwn = ownOrigins.includes(origin) || isSameElementsOrigin(request, origin);
  if (!allowedOrigins.includes(origin) && !isOwn) {
    refuseToAllPages(reply);
    throw new DomainError('forbidden', 'Pages of this origin may not use the key: it is not in its allowed_origins.');
  }
  reply.header('access-control-allow-origin', origin).header('vary', 'origin');
}

/**
 * Returns true for the vault's own frames. On a separate port, they may be reached under a different name than the
 * configured one.
 */
function isSameElementsOrigin({ raw, headers }: FastifyRequest, origin: string): boolean {
  return partOfElements(raw) !== undefined && headers.host !== undefined && URL.parse(origin)?.host === headers.host;
}

function refuseToAllPages(reply: FastifyReply): void {
  reply.removeHeader('access-control-allow-origin');
  reply.removeHeader('access-control-expose-headers');
}
