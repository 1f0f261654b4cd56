import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify';
import type { BodyMemory, BodyShare } from './body-memory.ts';
import type { ClientFinder } from './client-address.ts';
import { whenOver } from './request-end.ts';

interface Parts {
  readonly memory: BodyMemory;
  readonly clientOf: ClientFinder;
}

/** A shorter response fits into the operating system's buffer for a connection. */
const smallLengthMax = 64 * 1024;
const pieceBytes = 64 * 1024;

/**
 * Accounts for long responses until they have been read. They are sent in pieces, each when the previous one has been sent: how
 * fast a client reads a single long write cannot be observed. Streamed responses already have their own pace.
 */
export function addResponseMemory(app: FastifyInstance, parts: Parts): void {
  const hold: onSendHookHandler = (request, reply, payload, done) => {
    const isLong = (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length > smallLengthMax;
    done(null, isLong && request.method !== 'HEAD' ? toPieces(request, reply, { ...parts, payload }) : payload);
  };
  // As a route-level hook, it runs after all others, which see the whole response.
  app.addHook('onRoute', (route) => {
    route.onSend = [route.onSend ?? [], hold].flat();
  });
}

function toPieces(
  request: FastifyRequest,
  reply: FastifyReply,
  { memory, clientOf, payload }: Parts & { readonly payload: string | Buffer },
): Readable {
  const share = memory.open(clientOf(request).network, () => {
    share.close();
    request.raw.socket.destroy();
  });
  whenOver(request, reply.raw, () => share.close());
  // Buffers are our own files, with one copy for all responses: only text is memory of this response.
  const bytes = typeof payload === 'string' ? Buffer.from(payload, 'utf8') : payload;
  if (typeof payload === 'string') share.grow(bytes.length);
  reply.header('content-length', bytes.length);
  return Readable.from(piecesOf(bytes, share), { objectMode: false, highWaterMark: pieceBytes });
}

function* piecesOf(bytes: Buffer, share: BodyShare): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    yield bytes.subarray(start, start + pieceBytes);
    share.note(pieceBytes);
  }
  // The last piece is left to the connection, which times out if it is idle.
  share.close();
}
