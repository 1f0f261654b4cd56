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

/** Those that say something about the exchange and not about what was asked for. */
const exchangeHeaders =
  /^(?:bt-trace-id|cache-control|x-content-type-options|vary|connection|(?:x-)?ratelimit.*|access-control-.*)$/;

/**
 * No request outlives its time limit, whatever it waits for: it is answered here. What it has begun by then goes on and ends by
 * itself; what it has not begun is never begun, so that the response can say which of the two it is. The limit counts from when
 * the headers were read until the response begins, except while the body arrives, which has limits of its own.
 *
 * Not Fastify's `handlerTimeout`: its response passes hooks that may wait for the database themselves, and a result that comes in the
 * meantime is sent as a second response.
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
        // Called by a timer, for many requests: none may keep the others from being answered, or hang itself.
        reply.raw.destroy();
      }
    });
    request[limited] = deadline;
    withDeadline(deadline, done);
  });
  // A body arrives in the context of its connection.
  app.addHook('preHandler', (request, _reply, done) => withDeadline(request[limited], done));
}

/** Called last, when nothing is left to wait for. */
export function endTimeLimitWithResponse(app: FastifyInstance): void {
  app.addHook('onSend', (request, _reply, payload, done) => {
    // It has had its response. What is left of this one ends here.
    if (isOutOfTime(request)) return;
    endTimeLimit(request);
    done(null, payload);
  });
}

/** The response begins. */
export function endTimeLimit(request: FastifyRequest): void {
  request[limited]?.end();
}

/** Whether the request was answered because its time was up. Nothing that it does can reach its client any more. */
export function isOutOfTime(request: FastifyRequest): boolean {
  return request[limited]?.isOver === true;
}

/** Whether anything that the request asks for may have been done. */
export function mayHaveTakenEffect(request: FastifyRequest): boolean {
  return request.routeOptions.config.isReadOnly !== true && request[limited]?.mayHaveChanged === true;
}

/** The time in which the client sends its body is not that of the request. */
export function pauseTimeLimit(request: FastifyRequest): void {
  request[limited]?.pause();
}

export function resumeTimeLimit(request: FastifyRequest): void {
  request[limited]?.resume();
}

/** Written past the framework, which takes the reply for sent from here on and drops what comes late. */
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
 * What takes longer than the time limit of requests for a reason, and how many seconds it has in addition to it. These are all
 * exceptions: a route names one in `moreTimeFor`. Once a response has begun, as that of an export, no limit counts.
 */
export const longWork = {
  /** A destination has 25 seconds; see `outboundLimits`. */
  'proxy-call': 25,
  /** An export looks for its first records, and a report reads up to 100,000, in a log of any size. */
  'log-reading': 45,
} as const;

export type LongWork = keyof typeof longWork;

/** How long a request to a route may take. */
export function timeLimitMs(limitSeconds: number, work: LongWork | undefined): number {
  return 1_000 * (limitSeconds + (work === undefined ? 0 : longWork[work]));
}

/** The longest that any request may take. */
export function longestTimeMs(limitSeconds: number): number {
  return 1_000 * (limitSeconds + Math.max(...Object.values(longWork)));
}
