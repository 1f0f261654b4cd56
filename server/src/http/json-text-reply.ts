import type { FastifyReply } from 'fastify';

declare module 'fastify' {
  interface FastifyReply {
    /** What may be kept of the body for a repetition, where that is less than what is sent. */
    lastingText: string | undefined;
  }
}

/** Says what may be kept of the answer for a repetition, where it shows something that must not be stored. */
export function keepInstead(reply: FastifyReply, lasting: object): void {
  reply.lastingText = JSON.stringify(lasting);
}

/** Answers with JSON text as it is: parsing and writing it again could alter a value. */
export function sendJsonText(reply: FastifyReply, text: string, lastingText?: string): FastifyReply {
  reply.lastingText = lastingText;
  return reply.type('application/json; charset=utf-8').send(text);
}
