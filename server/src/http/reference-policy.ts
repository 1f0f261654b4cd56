import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../core/errors/domain-error.ts';
import { sha256 } from '../platform/keyring/sha256.ts';

/** A response that never changes while the server runs, and its headers. */
interface Fixed {
  readonly etag: string;
  readonly policy: string;
  /** Shared by all responses: as text, each connection would hold its own four megabytes until they were read. */
  readonly bytes: Buffer;
}

const inlineScript = /<script[^>]*>([^<]+)<\/script>/g;

/**
 * Restricts the pages under `/docs` to what they need. They share an origin with the portal, so an injected script
 * would be signed in there: only our own file and the inline scripts that we rendered may run, each
 * identified by its hash. The reference generates styles at run time, so those are not restricted.
 */
export function addReferencePolicy(app: FastifyInstance): void {
  const known = new Map<string, Fixed>();
  app.addHook('onRequest', (request, _reply, done) => {
    // The reference derives its own address from it; only HTTP/1.0 requests may lack it.
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

/** Cached by route: otherwise anyone could make us hash four megabytes per request. */
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
