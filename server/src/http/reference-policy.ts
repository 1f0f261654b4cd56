import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../core/errors/domain-error.ts';
import { sha256 } from '../platform/keyring/sha256.ts';

/** A response that never changes while the server runs, and the headers that go with it. */
interface Fixed {
  readonly etag: string;
  readonly policy: string;
  /** Written by all responses: as text, each connection would hold four megabytes of its own until it was read. */
  readonly bytes: Buffer;
}

const inlineScript = /<script[^>]*>([^<]+)<\/script>/g;

/**
 * Holds the pages under `/docs` to what they need. They share an origin with the portal, so a script that got into them
 * would be signed in there: no script runs but our own file and the inline ones that were in the page when we made it, each
 * known by its hash. Styles are written by the reference itself while it runs, so those are not restricted.
 */
export function addReferencePolicy(app: FastifyInstance): void {
  const known = new Map<string, Fixed>();
  app.addHook('onRequest', (request, _reply, done) => {
    // The reference makes its own address out of it; only HTTP/1.0 has none.
    const isNamed = request.headers.host !== undefined;
    done(isNamed ? undefined : new DomainError('malformed-request', 'The request has no Host header.'));
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    addHeaders(reply);
    if (reply.statusCode !== 200 || typeof payload !== 'string') {
      done(null, payload);
      return;
    }
    const { etag, policy, bytes } = findFixed(known, request, payload);
    reply.header('content-security-policy', policy).header('etag', etag).header('cache-control', 'no-cache');
    const isKnown = request.headers['if-none-match'] === etag;
    if (isKnown) reply.code(304).removeHeader('content-length');
    done(null, isKnown ? '' : bytes);
  });
}

function addHeaders(reply: FastifyReply): void {
  reply.header('content-security-policy', toPolicy([]));
  reply.header('x-frame-options', 'DENY');
  reply.header('referrer-policy', 'no-referrer');
  reply.header('cross-origin-opener-policy', 'same-origin');
  reply.header('cross-origin-resource-policy', 'same-origin');
  reply.removeHeader('access-control-allow-origin');
}

/** By route: hashing four megabytes for every request would be work that anybody can ask for. */
function findFixed(known: Map<string, Fixed>, request: FastifyRequest, payload: string): Fixed {
  const route = `${request.routeOptions.url} ${request.url.endsWith('/')}`;
  const found = known.get(route);
  if (found !== undefined) return found;
  const isPage = payload.startsWith('<!');
  const scripts = isPage ? [...payload.matchAll(inlineScript)].map(([, text = '']) => text) : [];
  const fixed = { etag: `"${digest(payload)}"`, policy: toPolicy(scripts), bytes: Buffer.from(payload, 'utf8') };
  known.set(route, fixed);
  return fixed;
}

function toPolicy(scripts: readonly string[]): string {
  return [
    `default-src 'none'`,
    `script-src ${["'self'", ...scripts.map((text) => `'sha256-${digest(text)}'`)].join(' ')}`,
    `style-src 'self' 'unsafe-inline'`,
    `img-src 'self' data:`,
    `font-src 'self' data:`,
    `connect-src 'self'`,
    `form-action 'none'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}

function digest(text: string): string {
  return sha256(Buffer.from(text, 'utf8')).toString('base64');
}
