import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendAsyncHookHandler } from 'fastify';
import type { Steps } from '../../core/steps/steps.ts';
import { withoutDeadline } from '../../platform/waiting/deadline.ts';
import { inTurns } from '../../platform/waiting/turns.ts';
import type { BodyMemory, BodyShare } from './body-memory.ts';
import type { ClientFinder } from '../connections/client-address.ts';
import { whenOver } from '../connections/current-requests.ts';

interface Parts {
  readonly memory: BodyMemory;
  readonly clientOf: ClientFinder;
}

/** A shorter response fits into the operating system's buffer for a connection. */
const smallLengthMax = 64 * 1024;
/** The length of one piece, in bytes of a file or characters of a text. */
const pieceLength = 64 * 1024;

/**
 * Accounts for long responses until they have been read. A response is sent in pieces, each after the previous one has
 * been sent, because the pace at which a client reads a single long write cannot be observed. Streamed responses
 * already have their own pace.
 */
export function addResponseMemory(app: FastifyInstance, parts: Parts): void {
  const hold: onSendAsyncHookHandler = async (request, reply, payload) => {
    const isLong = (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length > smallLengthMax;
    if (!isLong || request.method === 'HEAD') return payload;
    const share = openShare(request, reply, parts);
    // Text counts as memory of this response. Buffers do not: they are the vault's own files, with one copy for all
    // responses. The response is final by now, so no deadline may cancel it.
    const pieces =
      typeof payload === 'string' ? await withoutDeadline(() => encode(payload, share)) : piecesOf(payload);
    return toStream(reply, pieces, share);
  };
  // A route-level hook runs after all others, so those see the whole response.
  app.addHook('onRoute', (route) => {
    route.onSend = [route.onSend ?? [], hold].flat();
  });
}

function openShare(request: FastifyRequest, reply: FastifyReply, { memory, clientOf }: Parts): BodyShare {
  const share = memory.open(clientOf(request).network, () => {
    share.close();
    request.raw.socket.destroy();
  });
  whenOver(request, reply.raw, () => share.close());
  return share;
}

function toStream(reply: FastifyReply, pieces: readonly Buffer[], share: BodyShare): Readable {
  reply.header('content-length', lengthOf(pieces));
  return Readable.from(sendEach(pieces, share), { objectMode: false, highWaterMark: pieceLength });
}

function* sendEach(pieces: readonly Buffer[], share: BodyShare): Generator<Buffer> {
  for (const piece of pieces) {
    yield piece;
    share.note(piece.length);
  }
  // The connection itself handles the last piece, and times out if it is idle.
  share.close();
}

function piecesOf(bytes: Buffer): Buffer[] {
  const starts = Array.from({ length: Math.ceil(bytes.length / pieceLength) }, (_, index) => index * pieceLength);
  return starts.map((start) => bytes.subarray(start, start + pieceLength));
}

async function encode(text: string, share: BodyShare): Promise<Buffer[]> {
  // The encoded text has at least one byte per character.
  share.grow(text.length);
  const pieces = await inTurns(encodeSteps(text));
  share.grow(lengthOf(pieces) - text.length);
  return pieces;
}

/** Encodes a text as UTF-8 in steps. Encoding a page of twelve megabytes at once took 50 ms. */
function* encodeSteps(text: string): Steps<Buffer[]> {
  const pieces: Buffer[] = [];
  for (let start = 0; start < text.length; ) {
    const end = endOfPiece(text, start + pieceLength);
    pieces.push(Buffer.from(text.slice(start, end)));
    start = end;
    yield;
  }
  return pieces;
}

function lengthOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

/** Moves the end by one if it would split a surrogate pair. */
function endOfPiece(text: string, end: number): number {
  const isHalf = end < text.length && (text.charCodeAt(end - 1) & 0xfc_00) === 0xd8_00;
  return isHalf ? end + 1 : end;
}
