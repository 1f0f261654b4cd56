import { pipeline, type Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { partOfElements } from '../origins/elements-origin.ts';
import { endTimeLimit, isOutOfTime } from '../connections/time-limit.ts';

export interface RawResponse {
  readonly status: number;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body: Readable;
}

/**
 * Forwards a third party's response, byte for byte, as it arrives. If the body is cut short, the connection is closed,
 * so that the client does not mistake half a response for a complete one.
 */
export function sendRawResponse(reply: FastifyReply, answer: RawResponse): FastifyReply {
  const { raw } = reply;
  if (isOutOfTime(reply.request)) {
    answer.body.destroy();
    return reply;
  }
  try {
    setHead(reply, answer);
  } catch (error) {
    // None of these headers may appear in the error response that is sent instead.
    for (const name of raw.getHeaderNames()) raw.removeHeader(name);
    answer.body.destroy();
    throw error;
  }
  endTimeLimit(reply.request);
  reply.hijack();
  raw.flushHeaders();
  pipeline(answer.body, raw, () => undefined);
  return reply;
}

function setHead(reply: FastifyReply, { status, headers }: RawResponse): void {
  const { raw } = reply;
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  // The elements origin sets no cookies, not even those of a third party.
  const withoutCookies = partOfElements(reply.request.raw) !== undefined;
  for (const { name, value } of headers) {
    if (!withoutCookies || name.toLowerCase() !== 'set-cookie') raw.appendHeader(name, value);
  }
  // Hooks do not run for a raw response.
  if (reply.server.isDraining()) raw.setHeader('connection', 'close');
  raw.statusCode = status;
}
