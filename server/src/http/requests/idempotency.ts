import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { membersOf } from '../../core/objects/members-of.ts';
import { DomainError, invalidField } from '../../core/errors/domain-error.ts';
import type { KeyCaller } from '../../core/identity/caller.ts';
import { findOutage, mayHaveHappened } from '../../platform/database/database-error.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { withoutDeadline } from '../../platform/waiting/deadline.ts';
import { sendJsonText } from './json-text-reply.ts';
import { toDomainError } from '../problems/problem.ts';
import { problemCatalog } from '../problems/problem-catalog.ts';
import { LateSettlements } from '../connections/late-settlements.ts';
import { describeFailure, routeOf } from './request-log.ts';
import { isOutOfTime, mayHaveTakenEffect } from '../connections/time-limit.ts';

/** The stored outcome of a successful request. It says what the request did, never what it returned. */
export interface KeptOutcome {
  readonly status: number;
  readonly location: string | undefined;
  /** The value that the route passed to `keepOutcome`, as JSON. */
  readonly outcome: unknown;
}

/**
 * Returns what an earlier request did, in the form that the caller may see now: a document, JSON text, or nothing.
 * Authorizes and records like a separate request, and throws if the caller has lost access or the resource is gone.
 */
export type ShowAgain = (caller: KeyCaller, outcome: unknown) => Promise<object | string | undefined>;

/**
 * Adds the type of the outcome that the route passed to `keepOutcome`. Kept outcomes are sealed, so they cannot have
 * been altered.
 */
export function shownAgain<Outcome>(
  show: (caller: KeyCaller, outcome: Outcome) => Promise<object | string | undefined>,
): ShowAgain {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- this route sealed the value itself.
  return (caller, outcome) => show(caller, outcome as Outcome);
}

/** Records what the request did, for repeated requests. A repeatable route calls this before it replies. */
export function keepOutcome(reply: FastifyReply, outcome: object | null): void {
  reply.outcome = outcome;
}

/** The claim of the one request with this key that does the work. */
export interface IdempotencyClaim {
  /**
   * Keeps the outcome. It is undefined if it is too large or unknown; a repeated request is then rejected, so that
   * nothing is done twice.
   */
  keep(outcome: KeptOutcome | undefined): Promise<void>;
  /** Releases the key because the work was not done. The next request with this key will do it. */
  release(): Promise<void>;
}

export type IdempotencyOutcome =
  | { readonly kind: 'first'; readonly claim: IdempotencyClaim }
  | { readonly kind: 'repeated'; readonly kept: KeptOutcome }
  | { readonly kind: 'in-flight' }
  | { readonly kind: 'not-kept' };

/** Stores outcomes. Implemented by the idempotency feature. */
export interface IdempotencyKeeper {
  /** Claims a key. `operation` is the method, the route and the values in its path. */
  claim(caller: KeyCaller, operation: readonly string[], key: string): Promise<IdempotencyOutcome>;
}

declare module 'fastify' {
  interface FastifyRequest {
    idempotencyClaim: IdempotencyClaim | undefined;
    isOutcomeUnknown: boolean;
    /** True if the outcome of an earlier request is returned instead of doing the work again. */
    isRepetition: boolean;
  }
  interface FastifyReply {
    outcome: object | null | undefined;
  }
  interface FastifyContextConfig {
    /** Returns the outcome of an earlier request. Every repeatable route has this. */
    showAgain?: ShowAgain;
    /**
     * True if the body determines what is changed and the response does not show it. A different body is then a
     * different operation.
     */
    isNamedByBody?: boolean;
  }
}

export const idempotencyHeader = 'bt-idempotency-key';
const idempotentMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);
const visibleAscii = /^[\x21-\x7e]{1,255}$/;
const outcomeLengthMax = 1024 * 1024;

/**
 * Returns the kept outcome if a request with the same key has already succeeded, instead of executing it again. This
 * runs last before the handler, because a repeated request needs a valid API key, the permission and a valid body every
 * time.
 */
export function addIdempotency(app: FastifyInstance, keeper: IdempotencyKeeper, logger: Logger): void {
  app.decorateRequest('idempotencyClaim', undefined);
  app.decorateRequest('isOutcomeUnknown', false);
  app.decorateRequest('isRepetition', false);
  app.decorateReply('outcome', undefined);
  app.addHook('onRoute', (route) => {
    if (!isRepeatable(route.config, route.method)) return;
    if (route.config?.showAgain === undefined) {
      throw new Error(`${String(route.method)} ${route.url} does not say how to answer a repeated request.`);
    }
    const { handler } = route;
    route.handler = function (request, reply) {
      const handled: unknown = handler.call(this, request, reply);
      const isWatched = request.idempotencyClaim !== undefined && handled instanceof Promise;
      return isWatched ? withLateOutcome(handled, { request, reply, logger }) : handled;
    };
  });

  app.addHook('preHandler', async (request, reply) => {
    const key = findKey(request);
    if (key === undefined) return undefined;
    // The claim ignores the deadline. It is not part of the requested work, and a claim that is not known here would
    // never be released.
    const outcome = await withoutDeadline(() => keeper.claim(request.keyCaller, operationOf(request), key));
    switch (outcome.kind) {
      case 'first':
        request.idempotencyClaim = outcome.claim;
        if (isOutOfTime(request)) await settle({ request, reply, logger }, 'not done');
        return undefined;
      case 'repeated':
        return repeat(request, reply, outcome.kept);
      case 'in-flight':
        throw new DomainError(
          'idempotency-in-flight',
          'A request with the same BT-IDEMPOTENCY-KEY is still being handled.',
        );
      case 'not-kept':
        throw new DomainError('idempotency-answer-not-kept', 'The result of the first request was not kept.');
    }
  });

  app.addHook('onError', async (request, _reply, error) => {
    request.isOutcomeUnknown = mayHaveHappened(error);
  });

  // The hook is awaited, so that the outcome is stored before the client sees the response.
  app.addHook('onSend', async (request, reply) => {
    const isSuccess = reply.statusCode >= 200 && reply.statusCode < 300;
    const isUnknown = request.isOutcomeUnknown || (reply.statusCode >= 500 && mayHaveTakenEffect(request));
    await settle({ request, reply, logger }, isSuccess ? 'done' : isUnknown ? 'unknown' : 'not done');
  });
}

/** Settlements that could not be recorded because of an outage. */
const lateSettlements = new LateSettlements();

interface Handled {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly logger: Logger;
}

/**
 * Settles the claim of a request that reached its time limit before its work was done. Its response does not state the
 * outcome, but the response to a repeated request will.
 */
async function withLateOutcome<T>(handling: Promise<T>, handled: Handled): Promise<T> {
  try {
    const result = await handling;
    if (isOutOfTime(handled.request)) await settle(handled, 'done');
    return result;
  } catch (failure) {
    if (isOutOfTime(handled.request)) await settleFailure(handled, failure);
    throw failure;
  }
}

/** Settles the claim of a request that failed after its time limit. */
export function settleFailure(handled: Handled, failure: unknown): Promise<void> {
  const isUnknown = mayHaveHappened(failure) || (isOfServer(failure) && mayHaveTakenEffect(handled.request));
  return settle(handled, isUnknown ? 'unknown' : 'not done');
}

/**
 * Returns true if the failure was not caused by the request itself. Part of the work may then have been done before the
 * failure.
 */
function isOfServer(failure: unknown): boolean {
  return problemCatalog[toDomainError(failure).code].status >= 500;
}

/** Settles the claim, whatever the outcome of the request. Safe to call more than once. */
async function settle({ request, reply, logger }: Handled, work: 'done' | 'unknown' | 'not done'): Promise<void> {
  const claim = request.idempotencyClaim;
  if (claim === undefined) return;
  request.idempotencyClaim = undefined;
  const settling = () => {
    if (work === 'done') return claim.keep(toKeptOutcome(reply));
    // The work may have been done. A repeated request must not do it again, and is told to check.
    return work === 'unknown' ? claim.keep(undefined) : claim.release();
  };
  try {
    await withoutDeadline(settling);
  } catch (error) {
    // The work has succeeded or failed, whether or not this was recorded, so the caller gets its response.
    if (findOutage(error) !== undefined) {
      lateSettlements.add(settling);
      return;
    }
    logger.error('idempotency outcome not kept', {
      trace_id: request.id,
      route: routeOf(request),
      ...describeFailure(error),
    });
  }
}

function findKey(request: FastifyRequest): string | undefined {
  const key = request.headers[idempotencyHeader];
  if (key === undefined || !isRepeatable(request.routeOptions.config, request.method)) return undefined;
  if (typeof key !== 'string' || !visibleAscii.test(key)) {
    throw invalidField('BT-IDEMPOTENCY-KEY', 'must be 1 to 255 visible ASCII characters');
  }
  return key;
}

/** Returns true if a route supports idempotency keys. */
export function isRepeatable(config: FastifyContextConfig | undefined, method: string | readonly string[]): boolean {
  const { permission = 'public', isReadOnly = false, isRepeatable = !isReadOnly } = config ?? {};
  return permission !== 'public' && isRepeatable && [method].flat().every((one) => idempotentMethods.has(one));
}

/**
 * Returns the parts that identify an operation. They include the values in the path, because the same key used for two
 * tokens identifies two operations. The spelling of the path does not matter. Anyone can have a public key, so its
 * operations include the body. This keeps visitors from getting what another visitor stored under the same idempotency
 * key. The same applies to a route whose target is named in the body, because its empty response would confirm a change
 * that was never made.
 */
function operationOf(request: FastifyRequest): string[] {
  const operation = [request.method, routeOf(request), ...Object.values(membersOf(request.params)).map(String)];
  const { applicationType, session } = request.keyCaller;
  const isShared = applicationType === 'public' && session === undefined;
  const isNamedByBody = request.routeOptions.config.isNamedByBody === true;
  return isShared || isNamedByBody ? [...operation, request.bodyDigest] : operation;
}

async function repeat(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, location, outcome }: KeptOutcome,
): Promise<FastifyReply> {
  const { showAgain } = request.routeOptions.config;
  if (showAgain === undefined) throw new Error('A route was repeated that does not say how.');
  request.isRepetition = true;
  const shown = await showAgain(request.keyCaller, outcome);
  reply.code(status);
  if (location !== undefined) reply.header('location', location);
  return typeof shown === 'string' ? sendJsonText(reply, shown) : reply.send(shown);
}

function toKeptOutcome(reply: FastifyReply): KeptOutcome | undefined {
  const { outcome } = reply;
  // A status of 503 comes from the time limit's response, which means that the work set no other status.
  const statusCode = reply.statusCode === 503 ? 200 : reply.statusCode;
  if (outcome === undefined || JSON.stringify(outcome).length > outcomeLengthMax) return undefined;
  return { status: statusCode, location: headerOf(reply, 'location'), outcome };
}

function headerOf(reply: FastifyReply, name: string): string | undefined {
  const value = reply.getHeader(name);
  return typeof value === 'string' ? value : undefined;
}
