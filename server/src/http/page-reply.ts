import type { FastifyReply } from 'fastify';

/** All pages are public at the edge: a cookie tells who is signed in, and each page checks it. */
export const pageOptions = { config: { permission: 'public' }, schema: { hide: true } } as const;

export function sendPage(reply: FastifyReply, page: string, status = 200): FastifyReply {
  return reply.code(status).type('text/html; charset=utf-8').send(page);
}
