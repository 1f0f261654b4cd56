import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Identity } from '../core/identity/caller.ts';

/** How long a browser remembers that it may ask: two hours is the most that any of them does. */
const preflightMaxAgeSeconds = 7_200;
const exposedHeaders = [
  'bt-trace-id',
  'retry-after',
  'bt-proxy-destination-status',
  'x-ratelimit-reset',
  'ratelimit',
  'ratelimit-policy',
  'location',
].join(', ');
const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE';

/** Whether a browser asks if it may ask. It sends no key with that, so nothing depends on one. */
export function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

export function answerPreflight(reply: FastifyReply): FastifyReply {
  return (
    reply
      .code(204)
      .header('access-control-allow-origin', '*')
      .header('access-control-allow-methods', methods)
      // Never with credentials, so this stands for every name: keys are sent in a header, not in a cookie.
      .header('access-control-allow-headers', '*')
      .header('access-control-max-age', preflightMaxAgeSeconds)
      .send()
  );
}

/** Pages of any origin may read the answer. It is taken back once the key turns out not to be one for browsers. */
export function allowCrossOrigin(request: FastifyRequest, reply: FastifyReply): void {
  if (request.headers.origin === undefined) return;
  reply.header('access-control-allow-origin', '*');
  reply.header('access-control-expose-headers', exposedHeaders);
}

/** A private or management key in a browser is a mistake; the page that makes it does not get to see the answer. */
export function restrictCrossOrigin(identity: Identity, reply: FastifyReply): void {
  if (identity.applicationType === 'public' || identity.session !== undefined) return;
  reply.removeHeader('access-control-allow-origin');
  reply.removeHeader('access-control-expose-headers');
}
