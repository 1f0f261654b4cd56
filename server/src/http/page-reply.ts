import type { FastifyReply } from 'fastify';

/** All pages are public at the edge: who is signed in is told by a cookie, and each page asks for it itself. */
export const pageOptions = { config: { permission: 'public' }, schema: { hide: true } } as const;

export function sendPage(reply: FastifyReply, page: string, status = 200): FastifyReply {
  return reply.code(status).type('text/html; charset=utf-8').send(page);
}
