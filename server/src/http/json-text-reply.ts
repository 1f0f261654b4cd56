import type { FastifyReply } from 'fastify';

/** Answers with JSON text as it is: parsing and writing it again could alter a value. */
export function sendJsonText(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(text);
}
