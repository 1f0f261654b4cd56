import { pipeline, type Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

export interface RawAnswer {
  readonly status: number;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body: Readable;
}

/**
 * Answers with what somebody else has said, byte for byte, as it arrives. A body that breaks off breaks the connection
 * off too: the client must not take half an answer for a whole one.
 */
export function sendRawAnswer(reply: FastifyReply, answer: RawAnswer): FastifyReply {
  const { raw } = reply;
  try {
    setHead(reply, answer);
  } catch (error) {
    // Nothing of it may stand in the answer that is sent instead.
    for (const name of raw.getHeaderNames()) raw.removeHeader(name);
    answer.body.destroy();
    throw error;
  }
  reply.hijack();
  raw.flushHeaders();
  pipeline(answer.body, raw, () => undefined);
  return reply;
}

function setHead(reply: FastifyReply, { status, headers }: RawAnswer): void {
  const { raw } = reply;
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  for (const { name, value } of headers) raw.appendHeader(name, value);
  // A server that is closing takes no further request on this connection.
  if (!reply.server.server.listening) raw.setHeader('connection', 'close');
  raw.statusCode = status;
}
