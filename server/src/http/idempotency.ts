import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError, invalidField } from '../core/errors/domain-error.ts';
import type { Caller } from '../core/identity/caller.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { describeFailure, routeOf } from './request-log.ts';

/** What is repeated: everything of an answer that a client builds on. */
export interface KeptAnswer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly location: string | undefined;
  readonly body: string;
}

/** The one request among equals that does the work. */
export interface IdempotencyClaim {
  /** Undefined for an answer that is too large: then a repetition is refused, and still nothing is done twice. */
  keep(answer: KeptAnswer | undefined): Promise<void>;
  /** The work was not done: the next request with this key does it. */
  release(): Promise<void>;
}

export type IdempotencyOutcome =
  | { readonly kind: 'first'; readonly claim: IdempotencyClaim }
  | { readonly kind: 'repeated'; readonly answer: KeptAnswer }
  | { readonly kind: 'in-flight' }
  | { readonly kind: 'not-kept' };

/** Who remembers answers; the idempotency feature does. */
export interface IdempotencyKeeper {
  /** `operation` is the method, the route and the values in its path. */
  claim(caller: Caller, operation: readonly string[], key: string): Promise<IdempotencyOutcome>;
}

declare module 'fastify' {
  interface FastifyRequest {
    idempotencyClaim: IdempotencyClaim | undefined;
  }
}

export const idempotencyHeader = 'bt-idempotency-key';
const idempotentMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);
const visibleAscii = /^[\x21-\x7e]{1,255}$/;
const bodyLengthMax = 1024 * 1024;

/**
 * A request with a key that has succeeded is answered as it was then. Runs last before the handler: whoever repeats
 * needs a valid key, the permission and a valid request, every time.
 */
export function addIdempotency(app: FastifyInstance, keeper: IdempotencyKeeper, logger: Logger): void {
  app.decorateRequest('idempotencyClaim', undefined);
  app.decorateReply('lastingText', undefined);

  app.addHook('preHandler', async (request, reply) => {
    const key = findKey(request);
    if (key === undefined) return undefined;
    const outcome = await keeper.claim(request.caller, operationOf(request), key);
    switch (outcome.kind) {
      case 'first':
        request.idempotencyClaim = outcome.claim;
        return undefined;
      case 'repeated':
        return repeat(reply, outcome.answer);
      case 'in-flight':
        throw new DomainError('idempotency-in-flight', 'A request with the same BT-IDEMPOTENCY-KEY is being handled.');
      case 'not-kept':
        throw new DomainError('idempotency-answer-not-kept', 'The answer to the first request was too large to keep.');
    }
  });

  // Awaited, so that whoever has seen the answer finds it kept.
  app.addHook('onSend', async (request, reply, payload) => {
    const claim = request.idempotencyClaim;
    if (claim === undefined) return;
    request.idempotencyClaim = undefined;
    const isSuccess = reply.statusCode >= 200 && reply.statusCode < 300;
    try {
      await (isSuccess ? claim.keep(toKeptAnswer(reply, payload)) : claim.release());
    } catch (error) {
      // The work is done, or has failed, whether or not this was noted: the caller gets the answer that it earned.
      logger.error('idempotency answer not kept', {
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

/** With the values of the path: one key on two tokens is two operations. The spelling of the path plays no part. */
function operationOf(request: FastifyRequest): string[] {
  return [request.method, routeOf(request), ...Object.values(request.params as Record<string, string>)];
}

function repeat(reply: FastifyReply, { status, contentType, location, body }: KeptAnswer): FastifyReply {
  reply.code(status);
  if (contentType !== undefined) reply.header('content-type', contentType);
  if (location !== undefined) reply.header('location', location);
  return body === '' ? reply.send() : reply.serializer(String).send(body);
}

function toKeptAnswer(reply: FastifyReply, payload: unknown): KeptAnswer | undefined {
  const body = reply.lastingText ?? payload ?? '';
  if (typeof body !== 'string' || body.length > bodyLengthMax) return undefined;
  return {
    status: reply.statusCode,
    contentType: headerOf(reply, 'content-type'),
    location: headerOf(reply, 'location'),
    body,
  };
}

function headerOf(reply: FastifyReply, name: string): string | undefined {
  const value = reply.getHeader(name);
  return typeof value === 'string' ? value : undefined;
}
