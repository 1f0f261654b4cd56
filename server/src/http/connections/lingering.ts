import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const unread = Symbol('what still arrives of a body that was refused');

declare module 'fastify' {
  interface FastifyRequest {
    [unread]: Promise<boolean> | undefined;
  }
}

/** The limits on how much of a rejected body is read and discarded, and for how long. */
interface DiscardLimits {
  readonly bytesMax: number;
  readonly ms: number;
  /** A client that has sent nothing for this long has stopped writing. */
  readonly idleMs: number;
}

const beforeResponse: DiscardLimits = { bytesMax: 64 * 1024 * 1024, ms: 2_000, idleMs: 250 };
const afterResponse: DiscardLimits = { bytesMax: 64 * 1024 * 1024, ms: 10_000, idleMs: 1_000 };

/**
 * Lets clients read why their body was rejected. Closing a connection on which bytes are still arriving resets it, and
 * the reset overtakes the response: of thirty calls with Node's fetch, 24 failed with EPIPE (measured). A response to
 * an unfinished body is therefore sent completely, but the connection is closed only after more of that body has been
 * discarded.
 */
export function addLingering(app: FastifyInstance): void {
  app.decorateRequest(unread, undefined);
  app.addHook('onSend', (request, reply, payload, done) => {
    const rest = request[unread];
    if (rest === undefined || typeof payload !== 'string') {
      done(null, payload);
      return;
    }
    const bytes = Buffer.from(payload, 'utf8');
    // With a content length, the response is complete for the client although the stream has not ended.
    reply.header('content-length', bytes.length).header('connection', 'close');
    done(null, holdOpen(bytes, rest));
  });
}

/** Keeps reading for a moment, so that a client that writes everything first gets its response in the usual order. */
export function discardBeforeResponse(request: FastifyRequest, proceed: () => void): void {
  void discard(request.raw, beforeResponse).then((hasEnded) => {
    if (!hasEnded) discardAfterResponse(request);
    proceed();
  });
}

/** Lets the response be sent at once, and discards the bytes that are still arriving. */
export function discardAfterResponse(request: FastifyRequest): void {
  request[unread] = discard(request.raw, afterResponse);
}

/** Discards a body within the limits. Resolves to true if nothing more will arrive. */
function discard(body: Readable, { bytesMax, ms, idleMs }: DiscardLimits): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let bytesLeft = bytesMax;
  const settle = (hasEnded: boolean) => {
    clearTimeout(end);
    clearTimeout(idle);
    body.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', onEnd);
    resolve(hasEnded);
  };
  const onEnd = () => settle(true);
  const onData = (chunk: Buffer) => {
    bytesLeft -= chunk.length;
    idle.refresh();
    if (bytesLeft > 0) return;
    body.pause();
    settle(false);
  };
  const end = setTimeout(() => settle(false), ms);
  const idle = setTimeout(() => settle(false), idleMs);
  if (body.readableEnded || body.destroyed) onEnd();
  else body.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onEnd).resume();
  return promise;
}

function holdOpen(bytes: Buffer, rest: Promise<unknown>): Readable {
  return Readable.from(
    (async function* () {
      yield bytes;
      await rest;
    })(),
  );
}
