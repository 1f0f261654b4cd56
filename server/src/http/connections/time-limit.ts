import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../core/errors/domain-error.ts';
import { withDeadline } from '../../platform/waiting/deadline.ts';
import { type RequestDeadline, RequestDeadlines } from '../../platform/waiting/request-deadlines.ts';

const limited = Symbol('deadline of the request');

declare module 'fastify' {
  interface FastifyRequest {
    [limited]: RequestDeadline | undefined;
  }
}

export interface TimeLimitOptions {
  readonly limitSeconds: number;
  /** Sets status and headers of the response, and returns its body. */
  readonly present: (error: DomainError, request: FastifyRequest, reply: FastifyReply) => string;
}

/** Headers that describe the exchange and not the requested resource. */
const exchangeHeaders =
  /^(?:bt-trace-id|cache-control|x-content-type-options|vary|connection|(?:x-)?ratelimit.*|access-control-.*)$/;

/**
 * Ends every request at its time limit, whatever it is waiting for, by sending the response here. Work that has started
 * by then continues and finishes on its own. Work that has not started is never started, so that the response can say
 * which of the two applies. The limit runs from the end of the headers until the response begins. It is paused while
 * the body arrives, because bodies have their own limits.
 *
 * Fastify's `handlerTimeout` is not used. Its response passes through hooks that may wait for the database themselves,
 * and a result that arrives in the meantime is sent as a second response.
 */
export function addTimeLimit(app: FastifyInstance, options: TimeLimitOptions): void {
  const deadlines = new RequestDeadlines();
  app.decorateRequest(limited, undefined);
  app.addHook('onRequest', (request, reply, done) => {
    const limitMs = timeLimitMs(options.limitSeconds, request.routeOptions.config.moreTimeFor);
    const deadline = deadlines.begin(limitMs, () => {
      try {
        refuse(request, reply, options);
      } catch {
        // One timer calls this for many requests. A request that fails here must neither block the others nor hang.
        reply.raw.destroy();
      }
    });
    request[limited] = deadline;
    withDeadline(deadline, done);
  });
  // A body arrives in the context of its connection, so the deadline has to be set again.
  app.addHook('preHandler', (request, _reply, done) => withDeadline(request[limited], done));
}

/** Adds the hook that ends the time limit. It is added last, so that there is nothing left to wait for when it runs. */
export function endTimeLimitWithResponse(app: FastifyInstance): void {
  app.addHook('onSend', (request, _reply, payload, done) => {
    // The request already has its response, so this one is dropped.
    if (isOutOfTime(request)) return;
    endTimeLimit(request);
    done(null, payload);
  });
}

/** Ends the time limit when the response begins. */
export function endTimeLimit(request: FastifyRequest): void {
  request[limited]?.end();
}

/** Returns true if the request reached its time limit and got its response. No later result can reach the client. */
export function isOutOfTime(request: FastifyRequest): boolean {
  return request[limited]?.isOver === true;
}

/** Returns true if any of the requested changes may have been made. */
export function mayHaveTakenEffect(request: FastifyRequest): boolean {
  return request.routeOptions.config.isReadOnly !== true && request[limited]?.mayHaveChanged === true;
}

/** Pauses the time limit while the client sends its body. That time does not count. */
export function pauseTimeLimit(request: FastifyRequest): void {
  request[limited]?.pause();
}

export function resumeTimeLimit(request: FastifyRequest): void {
  request[limited]?.resume();
}

/**
 * Sends the error without the framework. From here on, the framework treats the reply as sent and drops late results.
 */
function refuse(request: FastifyRequest, reply: FastifyReply, { limitSeconds, present }: TimeLimitOptions): void {
  const { raw } = reply;
  if (reply.sent || raw.headersSent || raw.destroyed) return;
  reply.hijack();
  for (const name of Object.keys(reply.getHeaders())) if (!exchangeHeaders.test(name)) reply.removeHeader(name);
  const seconds = timeLimitMs(limitSeconds, request.routeOptions.config.moreTimeFor) / 1_000;
  const error = new DomainError(
    'overloaded',
    `The request was not handled within its time limit of ${seconds} seconds.`,
  );
  const body = present(error, request, reply);
  if (reply.server.isDraining()) reply.header('connection', 'close');
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  raw.setHeader('content-length', Buffer.byteLength(body));
  raw.writeHead(reply.statusCode);
  raw.end(body);
}

/**
 * The number of seconds by which some work may exceed the time limit of requests. The list of exceptions is complete. A
 * route selects one in `moreTimeFor`. There is no limit after a response has begun, such as that of an export.
 */
export const longWork = {
  /** A destination has 25 seconds to respond. See `outboundLimits`. */
  'proxy-call': 25,
  /** An export searches for its first records, and a report reads up to 100,000, in a log of any size. */
  'log-reading': 45,
} as const;

export type LongWork = keyof typeof longWork;

/** Returns how long a request to a route may take. */
export function timeLimitMs(limitSeconds: number, work: LongWork | undefined): number {
  return 1_000 * (limitSeconds + (work === undefined ? 0 : longWork[work]));
}

/** Returns the longest time that any request may take. */
export function longestTimeMs(limitSeconds: number): number {
  return 1_000 * (limitSeconds + Math.max(...Object.values(longWork)));
}
