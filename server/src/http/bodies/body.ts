import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DomainError } from '../../core/errors/domain-error.ts';
import { JsonSource } from '../../core/json/json-source.ts';
import { jsonDepthMax, jsonValuesMax } from '../../core/json/json-limits.ts';
import type { JsonValue } from '../../core/json/json-value.ts';
import { parseJson, parseJsonSteps } from '../../core/json/parse-json.ts';
import { tokenLimits } from '../../core/token-limits.ts';
import { sha256 } from '../../platform/keyring/sealing/sha256.ts';
import { inTurns } from '../../platform/waiting/turns.ts';
import { idempotencyHeader } from '../requests/idempotency.ts';

/** A body up to this length is parsed at once, which takes about a millisecond. */
const bytesAtOnceMax = 16 * 1024;

export const bodySizeMax = tokenLimits.sizeBytesMax;

const read = Symbol('source of the body that was read');
/** The source of a request without a body. */
const unread = new JsonSource();

declare module 'fastify' {
  interface FastifyRequest {
    /** The original spelling of the body, for data that must be stored as sent. */
    readonly bodySource: JsonSource;
    /** The digest of a body that came with an idempotency key. Empty otherwise. */
    bodyDigest: string;
    [read]: JsonSource | undefined;
  }
}

/**
 * Reads bodies according to the media type that the route declares. It is compared exactly, because other services have
 * had their validation bypassed through the spelling of a content type. A route without a body accepts any content type
 * and ignores it. A route with a raw body accepts any content type and handles the body itself.
 */
export function addBodyParsers(app: FastifyInstance): void {
  app.decorateRequest(read, undefined);
  app.decorateRequest('bodyDigest', '');
  app.decorateRequest('bodySource', {
    getter(this: FastifyRequest) {
      return this[read] ?? unread;
    },
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, _stream, done) => {
    const { hasBody: isKept = true, isBodyRaw = false } = request.routeOptions.config;
    const parse = (body: Buffer) => readBody(request, body);
    request.server.bodyReader.read(request, { sizeMax: bodySizeMax, isKept, isParsed: !isBodyRaw, parse }, done);
  });
  // The body is no longer needed when there is a response, which a slow client may take minutes to read.
  app.addHook('onSend', (request, _reply, payload, done) => {
    request.body = undefined;
    request[read] = undefined;
    done(null, payload);
  });
}

function readBody(request: FastifyRequest, body: Buffer): JsonValue | Buffer | undefined | Promise<JsonValue> {
  const { mediaTypes = ['application/json'], hasBody = true, isBodyRaw = false } = request.routeOptions.config;
  if (!hasBody) return undefined;
  if (request.headers[idempotencyHeader] !== undefined) request.bodyDigest = sha256(body).toString('hex');
  if (isBodyRaw) return body;
  if (!mediaTypes.includes(mediaTypeOf(request))) {
    throw new DomainError('unsupported-media-type', `This endpoint accepts ${mediaTypes.join(' or ')}.`);
  }
  if (!isUtf8(body)) throw new DomainError('malformed-json', 'The body is not valid UTF-8.');

  const source = new JsonSource();
  request[read] = source;
  const options = { depthMax: jsonDepthMax, valuesMax: jsonValuesMax, source };
  const text = body.toString('utf8');
  return body.length <= bytesAtOnceMax ? parseJson(text, options) : inTurns(parseJsonSteps(text, options));
}

/** Returns the media type without parameters. The only accepted parameter is `charset=utf-8`. */
function mediaTypeOf(request: FastifyRequest): string {
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  const isUnderstood = parameters.every((parameter) =>
    ['charset=utf-8', 'charset="utf-8"', ''].includes(parameter.trim()),
  );
  return isUnderstood ? type.trim() : '';
}
