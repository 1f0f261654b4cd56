import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isGranted, missingPermission } from '../../core/access/decide-access.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import { tenantDeleted } from '../../core/identity/deleted-tenant.ts';
import type { Caller, Identity, KeyCaller } from '../../core/identity/caller.ts';
import type { Tracer } from '../../platform/telemetry/tracer.ts';
import type { ClientFinder } from '../connections/client-address.ts';
import { restrictCrossOrigin } from '../origins/cross-origin.ts';
import { isFromFields, requireKeyForPages, requireOriginOfSession } from '../origins/elements-origin.ts';
import {
  noteRoute,
  proxyKeyOf,
  type ProxyKeys,
  requireAllowedSource,
  requireUsableRights,
  routeOf,
  toKeylessCaller,
  withLentRights,
} from './proxy-key.ts';
import type { RateLimits } from './rate-limit.ts';
import { permissionsNeeded } from '../routes/route-config.ts';

/** Turns a key into an identity. Implemented by the applications feature. */
export interface Authenticator {
  /** Returns the identity of a valid key, or undefined for a key that is malformed, unknown, revoked or expired. */
  authenticate(key: string): Promise<Identity | undefined>;
}

const identified = Symbol('identified caller');
const identifiedAt = Symbol('time at which the last look at the caller began');
/**
 * Access is checked again if the last check is older than this, in milliseconds. A body can take half a minute to
 * arrive, and access may be revoked by then.
 */
const freshMs = 200;

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller. It is set before the handler of any route that needs a key. */
    readonly caller: Caller;
    /** The caller, on a route that only keys can call. */
    readonly keyCaller: KeyCaller;
    [identified]: Caller | undefined;
    [identifiedAt]: number;
  }
}

/** Returns the caller of a request with a valid key, or undefined on routes that need none. */
export function findCaller(request: FastifyRequest): Caller | undefined {
  return request[identified];
}

const keyLengthMax = 100;

interface AuthenticationParts {
  readonly authenticator: Authenticator;
  readonly proxyKeys: ProxyKeys;
  readonly limits: RateLimits;
  readonly clientOf: ClientFinder;
  readonly tracer: Tracer;
  /** Origins of the vault's own pages. */
  readonly ownOrigins: readonly string[];
}

/**
 * Authenticates requests before the body is read, so that nothing is parsed without a valid key. Authenticates again
 * after a slow body.
 */
export function addAuthentication(app: FastifyInstance, parts: AuthenticationParts): void {
  app.decorateRequest(identified, undefined);
  app.decorateRequest(identifiedAt, 0);
  app.decorateRequest('caller', {
    getter(this: FastifyRequest) {
      const caller = findCaller(this);
      if (caller === undefined) throw new Error('A handler asked for the caller of a public route.');
      return caller;
    },
  });
  app.decorateRequest('keyCaller', {
    getter(this: FastifyRequest) {
      const { caller } = this;
      if ('userId' in caller) throw new DomainError('forbidden', 'This needs the key of an application.');
      return caller;
    },
  });
  app.addHook('onRequest', async (request, reply) => {
    if (needsKey(request)) await admit(request, reply, parts);
  });
  app.addHook('preHandler', async (request, reply) => {
    if (needsKey(request) && wasAdmittedLongAgo(request)) await admit(request, reply, parts);
  });
}

/** Returns true if the caller may have lost access since it was admitted, because the body was slow to arrive. */
export function wasAdmittedLongAgo(request: FastifyRequest): boolean {
  return performance.now() - request[identifiedAt] > freshMs;
}

function needsKey(request: FastifyRequest): boolean {
  const { permission = 'public', audience = 'keys' } = request.routeOptions.config;
  return permission !== 'public' && audience === 'keys';
}

/**
 * Admits the identified caller if it has the route's permissions. `lookedAt` is the time at which the lookup of the
 * caller began, because access may have been revoked during the lookup.
 */
export function admitCaller(request: FastifyRequest, caller: Caller, lookedAt: number): void {
  noteCaller(request, caller, lookedAt);
  for (const permission of permissionsNeeded(request.routeOptions.config)) {
    if (!isGranted(caller.grants, permission)) throw missingPermission(permission);
  }
}

/** Records who sent the request, so that a refusal can be attributed. It does not admit the caller. */
export function noteCaller(request: FastifyRequest, caller: Caller, lookedAt: number): void {
  request[identified] = caller;
  request[identifiedAt] = lookedAt;
}

async function admit(request: FastifyRequest, reply: FastifyReply, parts: AuthenticationParts): Promise<void> {
  const lookedAt = performance.now();
  if (await admitWithoutKey(request, reply, { ...parts, lookedAt })) return;
  const caller = await identify(request, reply, parts);
  // From here on, a refusal is attributed to this caller.
  request[identified] = caller;
  if (caller.isTenantDeleted === true) throw tenantDeleted();
  restrictCrossOrigin(caller, { request, reply, ownOrigins: parts.ownOrigins });
  requireKeyForPages(request, caller);
  requireOriginOfSession(request, caller);
  if (caller.awaitsApproval === true) throw awaitsApproval();
  if (caller.session?.isAuthorized === false) throw unauthorizedSession();
  admitCaller(request, caller, lookedAt);
  await admitToProxy(request, reply, { ...parts, caller, lookedAt });
}

/** Admits an identified caller to the proxy that it names. It then has the rights that the proxy lends. */
async function admitToProxy(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    proxyKeys,
    limits,
    caller,
    lookedAt,
  }: AuthenticationParts & { readonly caller: KeyCaller; readonly lookedAt: number },
): Promise<void> {
  const key = proxyKeyOf(request);
  if (key === undefined) return;
  limits.requireFewGuesses(request, reply);
  const route = await proxyKeys.find(key);
  if (route?.tenantId !== caller.tenantId) {
    await limits.countGuess(request, reply);
    throw new DomainError('not-found', 'There is no proxy with the key in BT-PROXY-KEY.', { missing: { count: 1 } });
  }
  noteRoute(request, route, false);
  noteCaller(request, withLentRights(caller, route), lookedAt);
  requireAllowedSource(route, caller.sourceAddress);
  requireUsableRights(route);
}

/**
 * Admits a request that has no API key but names a proxy that needs none. Returns false for any other request. The key of
 * a proxy that needs an API key counts as a guess, so that the response does not tell it from an unknown one.
 */
async function admitWithoutKey(
  request: FastifyRequest,
  reply: FastifyReply,
  { proxyKeys, limits, clientOf, lookedAt }: AuthenticationParts & { readonly lookedAt: number },
): Promise<boolean> {
  const key = proxyKeyOf(request);
  const { 'bt-api-key': apiKey } = request.headers;
  if (key === undefined || (apiKey !== undefined && apiKey !== '') || isFromFields(request)) return false;
  limits.requireFewGuesses(request, reply);
  const route = await proxyKeys.find(key);
  if (route === undefined || route.requireAuth) {
    await limits.countGuess(request, reply);
    return false;
  }
  if (routeOf(request) === undefined) await limits.countKeyless(route.id, request, reply);
  const caller = toKeylessCaller(route, { requestId: request.id, sourceAddress: clientOf(request).address });
  noteRoute(request, route, true);
  noteCaller(request, caller, lookedAt);
  if (route.isTenantDeleted) throw tenantDeleted();
  requireAllowedSource(route, caller.sourceAddress);
  requireUsableRights(route);
  return true;
}

/** Returns the error for a tenant that requires a second person to approve changes that widen access to plaintext. */
function awaitsApproval(): DomainError {
  return new DomainError(
    'awaiting-approval',
    'The key or its application awaits approval by another owner or admin of the tenant, at /portal/approvals.',
  );
}

/** Returns the error for a session that has not been authorized. Until then, it can do nothing at all. */
export function unauthorizedSession(): DomainError {
  return new DomainError('forbidden', 'The session has not been authorized.');
}

async function identify(
  request: FastifyRequest,
  reply: FastifyReply,
  { authenticator, limits, clientOf, tracer }: AuthenticationParts,
): Promise<KeyCaller> {
  const key = request.headers['bt-api-key'];
  if (typeof key !== 'string' || key === '') {
    throw new DomainError('unauthenticated', 'The BT-API-KEY header is required.');
  }
  limits.requireFewGuesses(request, reply);
  const lookUp = () => tracer.span('authenticate', {}, () => authenticator.authenticate(key));
  const identity = key.length > keyLengthMax ? undefined : await lookUp();
  if (identity === undefined) {
    await limits.countGuess(request, reply);
    throw new DomainError('unauthenticated', 'The key in the BT-API-KEY header is not valid.');
  }
  return { ...identity, requestId: request.id, sourceAddress: clientOf(request).address };
}
