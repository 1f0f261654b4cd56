import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../core/errors/domain-error.ts';
import { toError } from '../../core/errors/thrown.ts';
import type { RateLimits } from '../callers/rate-limit.ts';
import { traceIdHeader } from '../connections/trace-id.ts';
import { isBehindUpgrade } from '../connections/current-requests.ts';
import { allowCrossOrigin, answerPreflight, isPreflight } from '../origins/cross-origin.ts';
import { isServed, partOfElements } from '../origins/elements-origin.ts';
import { isForPeople } from '../problems/problem-page.ts';
import { type MethodFinder, watchMethods } from './allowed-methods.ts';
import { findUnserved } from './unserved-resources.ts';

/** Checks a request before its body is read: its headers, its target, the rate limits, and whether the route exists. */
export function addFirstLook(app: FastifyInstance, limits: RateLimits): void {
  const methodsOf = watchMethods(app);
  app.addHook('onRequest', (request, reply, done) => {
    if (isBehindUpgrade(request.raw)) {
      reply.hijack();
      return;
    }
    addSharedHeaders(request, reply);
    const problem = findTargetProblem(request.raw, request.originalUrl);
    if (problem !== undefined) {
      reply.header('connection', 'close');
      done(problem);
      return;
    }
    // Pages of the elements origin send requests only to their own origin, which needs no preflight.
    if (isPreflight(request) && partOfElements(request.raw) === undefined) {
      answerPreflight(reply);
      return;
    }
    countRequest(limits, { request, reply }, (refusal) => {
      // The request is rejected here, because a handler would run only after the body has been read and validated.
      if (refusal !== undefined) done(refusal);
      else if (!isServed(request)) done(notThere(request));
      else if (request.is404) refuseUnrouted(request, reply, { methodsOf, done });
      else done();
    });
  });
}

/**
 * Rejects a path that has no route for this method. If other methods exist, the response names them (RFC 9110 §15.5.6).
 */
function refuseUnrouted(
  request: FastifyRequest,
  reply: FastifyReply,
  { methodsOf, done }: { methodsOf: MethodFinder; done: (refusal: Error) => void },
): void {
  const methods = methodsOf(request);
  if (methods.length === 0) {
    done(notThere(request));
    return;
  }
  reply.header('allow', methods.join(', '));
  if (request.method === 'OPTIONS') reply.code(204).send();
  else done(new DomainError('method-not-allowed', `This path supports ${methods.join(', ')}.`));
}

function notThere(request: FastifyRequest): DomainError {
  if (partOfElements(request.raw) !== undefined)
    return new DomainError('not-found', 'The origin of the card fields does not serve this.');
  if (isForPeople(request)) return new DomainError('not-found', 'There is no such page.');
  return findUnserved(request.url) ?? new DomainError('not-found', 'This path is not part of the API.');
}

export function addSharedHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header(traceIdHeader, request.id);
  reply.header('cache-control', 'no-store');
  reply.header('x-content-type-options', 'nosniff');
  allowCrossOrigin(request, reply);
}

/**
 * Counts a request. Continues synchronously if there is nothing to wait for, because a promise per request would cost
 * more than the counting.
 */
export function countRequest(
  limits: RateLimits,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  proceed: (refusal?: Error) => void,
): void {
  let waiting: void | Promise<void>;
  try {
    waiting = limits.countRequest(request, reply);
  } catch (error) {
    proceed(toError(error));
    return;
  }
  if (waiting === undefined) proceed();
  else waiting.then(() => proceed(), proceed);
}

/** RFC 9110 §7.2: a host name or address, with an optional port. */
const hostValue = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

/**
 * Returns the error for an ambiguous host, or undefined if it is not ambiguous. With two `Host` headers, a proxy in
 * front may read one and the vault the other, so that a request allowed for one name is executed under another (RFC
 * 9112 §3.2). A target in absolute form names a host too, which must be the same. `target` is the target as sent, even
 * if the request was routed by another path.
 */
export function findTargetProblem(
  { rawHeaders, httpVersion }: FastifyRequest['raw'],
  target: string,
): DomainError | undefined {
  const hosts = listHosts(rawHeaders);
  if (hosts.length > 1) return malformed('The request has more than one Host header.');
  const [host] = hosts;
  if (host === undefined && httpVersion === '1.1') return malformed('The request has no Host header.');
  if (host !== undefined && !hostValue.test(host)) return malformed('The Host header is not a host name.');
  if (target.startsWith('/') || target === '*') return undefined;
  if (host === undefined || !isForHost(target, host)) {
    return malformed('The request target is neither a path nor a URL on the host that the Host header names.');
  }
  return undefined;
}

/** Lists the values of all `Host` headers. Header names are at even positions, each followed by its value. */
function listHosts(rawHeaders: readonly string[]): string[] {
  const hosts: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts.push(rawHeaders[index + 1] ?? '');
  }
  return hosts;
}

function isForHost(target: string, host: string): boolean {
  const [, authority = ''] = /^https?:\/\/([^/?#]*)/i.exec(target) ?? [];
  return authority !== '' && authority.toLowerCase() === host.toLowerCase();
}

function malformed(message: string): DomainError {
  return new DomainError('malformed-request', message);
}
