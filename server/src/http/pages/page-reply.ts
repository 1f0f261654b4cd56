import type { FastifyReply } from 'fastify';

/**
 * Options of all pages. They are public at the edge. A cookie identifies the signed-in user, and each page checks it.
 */
export const pageOptions = { config: { permission: 'public' }, schema: { hide: true } } as const;

/** A policy that allows only the vault's own style sheets, typefaces and icon, and no frames. */
const textPolicy = [
  `default-src 'none'`,
  `style-src 'self'`,
  `font-src 'self'`,
  `img-src 'self'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
];

export const pageType = 'text/html; charset=utf-8';

export function sendPage(reply: FastifyReply, page: string, status = 200): FastifyReply {
  return reply.code(status).type(pageType).send(page);
}

/** Adds the headers for a page of text and links. */
export function addTextPageHeaders(reply: FastifyReply): void {
  addPolicy(reply, [...textPolicy, `form-action 'none'`]);
  reply.header('referrer-policy', 'no-referrer');
}

/** Adds the headers for a page with the vault's own script, and with forms to its own origin. */
export function addFormPageHeaders(reply: FastifyReply): void {
  addPolicy(reply, [...textPolicy, `script-src 'self'`, `form-action 'self'`]);
  // Links are secrets, so no other site may learn them from a referrer.
  reply.header('referrer-policy', 'same-origin');
}

/** Adds a page's policy on what it may load, and headers that keep other pages from accessing it. */
export function addPolicy(reply: FastifyReply, policy: readonly string[]): void {
  reply.header('content-security-policy', policy.join('; '));
  reply.header('x-frame-options', 'DENY');
  reply.header('cross-origin-opener-policy', 'same-origin');
  reply.removeHeader('access-control-allow-origin');
}
