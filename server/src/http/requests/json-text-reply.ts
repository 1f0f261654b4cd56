import type { FastifyReply } from 'fastify';

/** Sends JSON text unchanged, because parsing and serializing it again could alter a value. */
export function sendJsonText(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(text);
}
