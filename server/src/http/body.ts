import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DomainError } from '../core/errors/domain-error.ts';
import { JsonSource } from '../core/json/json-source.ts';
import type { JsonValue } from '../core/json/json-value.ts';
import { parseJson } from '../core/json/parse-json.ts';

/** Deeper than any body we accept on purpose; the limits of single endpoints lie below. */
const depthMax = 64;

const read = Symbol('source of the body that was read');
/** Of a request without a body. */
const unread = new JsonSource();

declare module 'fastify' {
  interface FastifyRequest {
    /** How the body was spelled, for data that must be stored as it was sent. */
    readonly bodySource: JsonSource;
    [read]: JsonSource | undefined;
  }
}

/**
 * Reads bodies by the media type that the route declares, compared exactly: validation has been bypassed in other
 * services through the spelling of a content type. A route without a body takes any content type and
 * ignores it; one with a raw body takes any and looks at it itself.
 */
export function addBodyParsers(app: FastifyInstance): void {
  app.decorateRequest(read, undefined);
  app.decorateRequest('bodySource', {
    getter(this: FastifyRequest) {
      return this[read] ?? unread;
    },
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    try {
      done(null, readBody(request, body));
    } catch (error) {
      done(error as Error);
    }
  });
}

function readBody(request: FastifyRequest, body: Buffer): JsonValue | Buffer | undefined {
  const { mediaTypes = ['application/json'], hasBody = true, isBodyRaw = false } = request.routeOptions.config;
  if (!hasBody) return undefined;
  if (isBodyRaw) return body;
  if (!mediaTypes.includes(mediaTypeOf(request))) {
    throw new DomainError('unsupported-media-type', `This endpoint takes ${mediaTypes.join(' or ')}.`);
  }
  if (!isUtf8(body)) throw new DomainError('malformed-json', 'The body is not valid UTF-8.');

  const source = new JsonSource();
  request[read] = source;
  return parseJson(body.toString('utf8'), { depthMax, source });
}

/** The media type without its parameters; only `charset=utf-8` is understood as one. */
function mediaTypeOf(request: FastifyRequest): string {
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  const isUnderstood = parameters.every((parameter) =>
    ['charset=utf-8', 'charset="utf-8"', ''].includes(parameter.trim()),
  );
  return isUnderstood ? type.trim() : '';
}
