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
import { FairLanes } from '../../platform/waiting/fair-lanes.ts';
import { findCaller } from '../callers/authentication.ts';
import { routeOf } from '../callers/proxy-key.ts';
import type { BodyMemory } from './body-memory.ts';
import { announcedBytes, type BodyForm, BodyReading, type Done, refuseBody, tooLarge } from './body-reading.ts';
import type { ClientFinder } from '../connections/client-address.ts';

/** A body up to this length is parsed at once, which takes about a millisecond. */
const bytesAtOnceMax = 16 * 1024;

export const bodySizeMax = tokenLimits.sizeBytesMax;
/** The limit for callers without an API key. */
const keylessBodySizeMax = 1024 * 1024;

/** Limits for large bodies: four at a time, and two per tenant. A parsed body takes up to twenty times its length. */
const largeBodyLanes = { slotsMax: 4, waitingMax: 200, waitMaxMs: 10_000 };

const response = Symbol('response to the request');
const reading = Symbol('reading of the body');
const read = Symbol('source of the body that was read');
/** The source of a request without a body. */
const unread = new JsonSource();

declare module 'fastify' {
  interface FastifyInstance {
    readonly bodyReader: BodyReader;
  }
  interface FastifyRequest {
    /** The original spelling of the body, for data that must be stored as sent. */
    readonly bodySource: JsonSource;
    /** The digest of a body that came with an idempotency key. Empty otherwise. */
    bodyDigest: string;
    [response]: FastifyReply['raw'] | undefined;
    [reading]: BodyReading | undefined;
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
    request.server.bodyReader.read(request, { sizeMax: sizeMaxOf(request), isKept, isParsed: !isBodyRaw, parse }, done);
  });
  // The body is no longer needed when there is a response, which a slow client may take minutes to read.
  app.addHook('onSend', (request, _reply, payload, done) => {
    request.body = undefined;
    request[read] = undefined;
    done(null, payload);
  });
}

function sizeMaxOf(request: FastifyRequest): number {
  return routeOf(request)?.isKeyless === true ? keylessBodySizeMax : bodySizeMax;
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

export function addBodyReader(app: FastifyInstance, parts: { memory: BodyMemory; clientOf: ClientFinder }): void {
  app.decorate('bodyReader', new BodyReader(parts));
  app.decorateRequest(response, undefined);
  app.decorateRequest(reading, undefined);
  app.addHook('preParsing', (request, reply, _payload, done) => {
    request[response] = reply.raw;
    done();
  });
  // The request leaves its lane here and not when the client has read the response, because the client decides how long
  // that takes.
  app.addHook('onSend', (request, _reply, payload, done) => {
    request[reading]?.leaveLane();
    done(null, payload);
  });
}

/** Reads bodies up to a maximum size into memory that is accounted for until the request ends. */
export class BodyReader {
  readonly #memory: BodyMemory;
  readonly #clientOf: ClientFinder;
  readonly #lanes = new FairLanes(largeBodyLanes);

  constructor(parts: { memory: BodyMemory; clientOf: ClientFinder }) {
    this.#memory = parts.memory;
    this.#clientOf = parts.clientOf;
  }

  read(request: FastifyRequest, form: BodyForm, done: Done): void {
    if ((announcedBytes(request) ?? 0) > form.sizeMax) {
      refuseBody(request, tooLarge(), done);
      return;
    }
    const enterLane = () => this.#lanes.enter(findCaller(request)?.tenantId ?? 'vault');
    const begun = new BodyReading(request, form, { enterLane, done });
    request[reading] = begun;
    begun.begin(request[response], (giveUp) => this.#memory.open(this.#clientOf(request).network, giveUp));
  }
}
