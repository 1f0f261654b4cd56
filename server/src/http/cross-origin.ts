import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Identity } from '../core/identity/caller.ts';

/** How long a browser caches a preflight response: two hours is the most that any browser allows. */
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

/** Whether this is a preflight request. It carries no key, so nothing depends on one. */
export function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

export function answerPreflight(reply: FastifyReply): FastifyReply {
  return (
    reply
      .code(204)
      .header('access-control-allow-origin', '*')
      .header('access-control-allow-methods', methods)
      // Never with credentials, so this allows every origin: keys are sent in a header, not in a cookie.
      .header('access-control-allow-headers', '*')
      .header('access-control-max-age', preflightMaxAgeSeconds)
      .send()
  );
}

/** Pages of any origin may read the response. This is withdrawn if the key turns out not to be meant for browsers. */
export function allowCrossOrigin(request: FastifyRequest, reply: FastifyReply): void {
  if (request.headers.origin === undefined) return;
  reply.header('access-control-allow-origin', '*');
  reply.header('access-control-expose-headers', exposedHeaders);
}

/** A private or management key in a browser is a mistake; the page that uses one cannot read the response. */
export function restrictCrossOrigin(identity: Identity, reply: FastifyReply): void {
  if (identity.applicationType === 'public' || identity.session !== undefined) return;
  reply.removeHeader('access-control-allow-origin');
  reply.removeHeader('access-control-expose-headers');
}
