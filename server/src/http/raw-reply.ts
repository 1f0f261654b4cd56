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
export function sendRawAnswer(reply: FastifyReply, { status, headers, body }: RawAnswer): FastifyReply {
  const { raw } = reply;
  const isDraining = !reply.server.server.listening;
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  for (const { name, value } of headers) raw.appendHeader(name, value);
  if (isDraining) raw.setHeader('connection', 'close');
  raw.statusCode = status;
  reply.hijack();
  raw.flushHeaders();
  pipeline(body, raw, () => undefined);
  return reply;
}
