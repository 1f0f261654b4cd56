import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../core/errors/domain-error.ts';
import type { AddressRange } from '../../core/network/address-range.ts';
import type { RateLimiter, Refusal } from '../../platform/rate-limit/rate-limiter.ts';
import type { RateLimitScope } from '../../platform/rate-limit/rate-limit-table.ts';
import type { ClientFinder } from '../connections/client-address.ts';

export interface RequestLimits {
  readonly limiter: RateLimiter;
  /** False if something in front of the vault limits requests. */
  readonly countsRequests: boolean;
  /** Proxies that are trusted to report the client address. */
  readonly trustedProxies: readonly AddressRange[];
  /** Networks of the operator's own services, which have higher limits. */
  readonly ownNetworks: readonly AddressRange[];
}

/** Counts requests before any other work is done for them. */
export interface RateLimits {
  /** Throws the error for a client that exceeded a limit. Returns a promise only if Redis has to be queried. */
  countRequest(request: FastifyRequest, reply: FastifyReply): void | Promise<void>;
  /** Throws if a client has tried too many keys. */
  requireFewGuesses(request: FastifyRequest, reply: FastifyReply): void;
  countGuess(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Counts a call of a proxy that needs no API key, for each proxy and client. */
  countKeyless(proxyId: string, request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

export function createRateLimits({ limiter, countsRequests }: RequestLimits, clientOf: ClientFinder): RateLimits {
  const refuse = (request: FastifyRequest, reply: FastifyReply, refusal: Refusal | undefined, proxyId?: string) => {
    if (refusal === undefined) return;
    const { network: client, isOwn } = clientOf(request);
    limiter.noteRefusal(refusal, { client, isOwn, proxyId });
    throwRefusal(reply, refusal);
  };
  return {
    countRequest(request, reply) {
      if (!countsRequests) return undefined;
      const { network, isOwn } = clientOf(request);
      const refusal = limiter.count(scopesOf(request), network, isOwn);
      if (refusal instanceof Promise) return refusal.then((settled) => refuse(request, reply, settled));
      return refuse(request, reply, refusal);
    },
    requireFewGuesses(request, reply) {
      const { network, isOwn } = clientOf(request);
      refuse(request, reply, limiter.findBlock('key-guessing', network, isOwn));
    },
    async countGuess(request, reply) {
      const { network, isOwn } = clientOf(request);
      refuse(request, reply, await limiter.count(['key-guessing'], network, isOwn));
    },
    async countKeyless(proxyId, request, reply) {
      const { network, isOwn } = clientOf(request);
      refuse(request, reply, await limiter.count(['keyless-proxy'], `${proxyId} ${network}`, isOwn), proxyId);
    },
  };
}

const anyRequest: readonly RateLimitScope[] = ['global'];
const byScope = new Map<RateLimitScope, readonly RateLimitScope[]>();

/** Returns the scopes that count a request. The lists are cached, because this runs for every request. */
function scopesOf(request: FastifyRequest): readonly RateLimitScope[] {
  const scope = request.routeOptions.config?.rateLimit ?? (isPortal(request) ? 'portal' : undefined);
  if (scope === undefined) return anyRequest;
  const scopes = byScope.get(scope) ?? ['global', scope];
  byScope.set(scope, scopes);
  return scopes;
}

function isPortal(request: FastifyRequest): boolean {
  return (request.routeOptions.url ?? request.url).startsWith('/portal/');
}

/**
 * Throws the error. Its headers state the same in three formats: RFC 9110, the header that clients of this API read,
 * and draft-ietf-httpapi-ratelimit-headers.
 */
function throwRefusal(reply: FastifyReply, { scope, limit, msLeft }: Refusal): never {
  const seconds = Math.max(1, Math.ceil(msLeft / 1_000));
  reply.header('retry-after', seconds);
  reply.header('x-ratelimit-reset', Math.ceil((Date.now() + msLeft) / 1_000));
  reply.header('ratelimit-policy', `"${scope}";q=${limit.limit};w=${limit.windowMs / 1_000}`);
  reply.header('ratelimit', `"${scope}";r=0;t=${seconds}`);
  throw new DomainError(
    'rate-limited',
    'Too many requests from this address. Wait for the number of seconds in Retry-After.',
  );
}
