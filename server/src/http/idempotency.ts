import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError, invalidField } from '../core/errors/domain-error.ts';
import type { Caller } from '../core/identity/caller.ts';
import { mayHaveHappened } from '../platform/database/database-error.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { sendJsonText } from './json-text-reply.ts';
import { describeFailure, routeOf } from './request-log.ts';

/** What is kept of a request that has succeeded: what it did, never what it showed. */
export interface KeptOutcome {
  readonly status: number;
  readonly location: string | undefined;
  /** As the route gave it to `keepOutcome`; JSON. */
  readonly outcome: unknown;
}

/**
 * Shows what an earlier request did, as the caller may see it now: a document, JSON text, or nothing at all. Judges and
 * records like a request of its own, and throws if the caller has lost the right or the thing is gone.
 */
export type ShowAgain = (caller: Caller, outcome: unknown) => Promise<object | string | undefined>;

/** How a route shows what it has given to `keepOutcome`. Kept outcomes are sealed, so they are what they were. */
export function shownAgain<Outcome>(
  show: (caller: Caller, outcome: Outcome) => Promise<object | string | undefined>,
): ShowAgain {
  return (caller, outcome) => show(caller, outcome as Outcome);
}

/** Says what the request did, for a repetition. A route that can be repeated calls this before it replies. */
export function keepOutcome(reply: FastifyReply, outcome: object | null): void {
  reply.outcome = outcome;
}

/** The one request among equals that does the work. */
export interface IdempotencyClaim {
  /** Undefined for an outcome that is too large: then a repetition is refused, and still nothing is done twice. */
  keep(outcome: KeptOutcome | undefined): Promise<void>;
  /** The work was not done: the next request with this key does it. */
  release(): Promise<void>;
}

export type IdempotencyOutcome =
  | { readonly kind: 'first'; readonly claim: IdempotencyClaim }
  | { readonly kind: 'repeated'; readonly kept: KeptOutcome }
  | { readonly kind: 'in-flight' }
  | { readonly kind: 'not-kept' };

/** Who remembers outcomes; the idempotency feature does. */
export interface IdempotencyKeeper {
  /** `operation` is the method, the route and the values in its path. */
  claim(caller: Caller, operation: readonly string[], key: string): Promise<IdempotencyOutcome>;
}

declare module 'fastify' {
  interface FastifyRequest {
    idempotencyClaim: IdempotencyClaim | undefined;
    isOutcomeUnknown: boolean;
    /** What an earlier request did is shown, and nothing is done. */
    isRepetition: boolean;
  }
  interface FastifyReply {
    outcome: object | null | undefined;
  }
  interface FastifyContextConfig {
    /** Every route that can be repeated has one. */
    showAgain?: ShowAgain;
  }
}

export const idempotencyHeader = 'bt-idempotency-key';
const idempotentMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);
const visibleAscii = /^[\x21-\x7e]{1,255}$/;
const outcomeLengthMax = 1024 * 1024;

/**
 * A request with a key that has succeeded is not done again: what it did is shown. Runs last before the handler: a
 * repetition needs a valid key, the permission and a valid request, every time.
 */
export function addIdempotency(app: FastifyInstance, keeper: IdempotencyKeeper, logger: Logger): void {
  app.decorateRequest('idempotencyClaim', undefined);
  app.decorateRequest('isOutcomeUnknown', false);
  app.decorateRequest('isRepetition', false);
  app.decorateReply('outcome', undefined);
  app.addHook('onRoute', (route) => {
    if (isRepeatable(route.config, route.method) && route.config?.showAgain === undefined) {
      throw new Error(`${String(route.method)} ${route.url} does not say how a repetition is shown.`);
    }
  });

  app.addHook('preHandler', async (request, reply) => {
    const key = findKey(request);
    if (key === undefined) return undefined;
    const outcome = await keeper.claim(request.caller, operationOf(request), key);
    switch (outcome.kind) {
      case 'first':
        request.idempotencyClaim = outcome.claim;
        return undefined;
      case 'repeated':
        return repeat(request, reply, outcome.kept);
      case 'in-flight':
        throw new DomainError('idempotency-in-flight', 'A request with the same BT-IDEMPOTENCY-KEY is being handled.');
      case 'not-kept':
        throw new DomainError('idempotency-answer-not-kept', 'The outcome of the first request was not kept.');
    }
  });

  app.addHook('onError', async (request, _reply, error) => {
    request.isOutcomeUnknown = mayHaveHappened(error);
  });

  // Awaited, so that a client that has seen the response finds the outcome kept.
  app.addHook('onSend', async (request, reply) => {
    const claim = request.idempotencyClaim;
    if (claim === undefined) return;
    request.idempotencyClaim = undefined;
    const isSuccess = reply.statusCode >= 200 && reply.statusCode < 300;
    try {
      if (isSuccess) await claim.keep(toKeptOutcome(reply));
      // It may have been done: a repetition must not do it again, and is told to look.
      else if (request.isOutcomeUnknown) await claim.keep(undefined);
      else await claim.release();
    } catch (error) {
      // The work is done, or has failed, whether or not this was noted: the caller gets its response.
      logger.error('idempotency outcome not kept', {
        trace_id: request.id,
        route: routeOf(request),
        ...describeFailure(error),
      });
    }
  });
}

function findKey(request: FastifyRequest): string | undefined {
  const key = request.headers[idempotencyHeader];
  if (key === undefined || !isRepeatable(request.routeOptions.config, request.method)) return undefined;
  if (typeof key !== 'string' || !visibleAscii.test(key)) {
    throw invalidField('BT-IDEMPOTENCY-KEY', 'must be 1 to 255 visible ASCII characters');
  }
  return key;
}

/** Whether a key means anything on a route. */
export function isRepeatable(config: FastifyContextConfig | undefined, method: string | readonly string[]): boolean {
  const { permission = 'public', isRepeatable = true } = config ?? {};
  return permission !== 'public' && isRepeatable && [method].flat().every((one) => idempotentMethods.has(one));
}

/**
 * With the values of the path: one key on two tokens is two operations. The spelling of the path plays no part. Anybody can
 * hold a public key, so there the body is part of the operation: nobody gets what another visitor stored under the same key.
 */
function operationOf(request: FastifyRequest): string[] {
  const operation = [request.method, routeOf(request), ...Object.values(request.params as Record<string, string>)];
  const { applicationType, session } = request.caller;
  return applicationType === 'public' && session === undefined ? [...operation, request.bodyDigest] : operation;
}

async function repeat(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, location, outcome }: KeptOutcome,
): Promise<FastifyReply> {
  const { showAgain } = request.routeOptions.config;
  if (showAgain === undefined) throw new Error('A route was repeated that does not say how.');
  request.isRepetition = true;
  const shown = await showAgain(request.caller, outcome);
  reply.code(status);
  if (location !== undefined) reply.header('location', location);
  return typeof shown === 'string' ? sendJsonText(reply, shown) : reply.send(shown);
}

function toKeptOutcome(reply: FastifyReply): KeptOutcome | undefined {
  const { outcome, statusCode } = reply;
  if (outcome === undefined || JSON.stringify(outcome).length > outcomeLengthMax) return undefined;
  return { status: statusCode, location: headerOf(reply, 'location'), outcome };
}

function headerOf(reply: FastifyReply, name: string): string | undefined {
  const value = reply.getHeader(name);
  return typeof value === 'string' ? value : undefined;
}
