import { Readable } from 'node:stream';
import { DomainError } from '../../core/errors/domain-error.ts';
import type { KeyCaller } from '../../core/identity/caller.ts';
import { Sensitive } from '../../core/identity/sensitive.ts';
import type { HeaderField, OutboundRequest, OutboundResponse } from '../../platform/outbound/destination-exchange.ts';
import { DestinationFailure } from '../../platform/outbound/destination-failure.ts';
import { type CallableProxy, MaskLimit } from '../stored-proxies/index.ts';
import type { ProxyRequest } from './proxy-request.ts';
import { StoredEffects, type TransformParts } from './stored-effects.ts';
import { applyTransforms } from './transforms/apply-transforms.ts';
import { readMessageBody, writeMessageBody } from './transforms/message-body.ts';

/** The maximum size of a response that is transformed, in bytes. A request cannot be larger than this anyway. */
const responseBytesMax = 4 * 1024 * 1024;
/** Headers about the bytes of a body, which a transform changes. */
const aboutBytes: ReadonlySet<string> = new Set(
  'content-length content-md5 content-digest digest repr-digest etag accept-ranges content-range'.split(' '),
);
/** Headers of a request after which a response would be one that no transform can look into. */
const aboutResponse: ReadonlySet<string> = new Set(['accept-encoding', 'range', 'if-range']);

/** Applies the transforms of a stored proxy to one call. */
export class StoredTransforms {
  readonly #effects: StoredEffects;
  readonly #stored: CallableProxy;
  readonly #about: Readonly<Record<string, string>>;

  constructor(
    parts: TransformParts,
    call: { readonly stored: CallableProxy; readonly caller: KeyCaller; readonly request: ProxyRequest },
  ) {
    this.#effects = new StoredEffects(parts, call.caller);
    this.#stored = call.stored;
    this.#about = { method: call.request.method, path: call.request.path };
  }

  /** The ids of the tokens that the transforms have created so far. */
  get created(): readonly string[] {
    return this.#effects.created;
  }

  /** Returns the request as it is sent. It has been rendered, so no text of it is evaluated any more. */
  async toRequest(outgoing: OutboundRequest): Promise<OutboundRequest> {
    const { request, response, proxy } = this.#stored;
    const headers = outgoing.headers.reveal().filter(({ name }) => response.length === 0 || !isAboutResponse(name));
    if (request.length === 0) return { ...outgoing, headers: new Sensitive(headers) };
    const message = { headers, body: await readMessageBody(headers, outgoing.body.reveal()) };
    const configuration = proxy.secrets.configuration.reveal();
    await applyTransforms(message, request, this.#toContext(configuration));
    const body = await writeMessageBody(message.body);
    return { ...outgoing, headers: new Sensitive(withoutDigests(message.headers)), body: new Sensitive(body) };
  }

  /** Returns the response as the caller gets it. Without transforms, it streams. */
  async toResponse(answer: OutboundResponse): Promise<OutboundResponse> {
    const { response } = this.#stored;
    if (response.length === 0) return answer;
    const bytes = await readAll(answer.body);
    try {
      const message = { headers: answer.headers, body: await readMessageBody(answer.headers, bytes) };
      await applyTransforms(message, response, this.#toContext({}));
      const body = (await writeMessageBody(message.body)) ?? Buffer.alloc(0);
      const length = { name: 'content-length', value: String(body.length) };
      return { status: answer.status, headers: [...withoutDigests(message.headers), length], body: toStream(body) };
    } catch (error) {
      // The destination is to blame for a response that does not fit, not the caller.
      const isRefused = error instanceof DomainError && error.code !== 'forbidden' && error.code !== 'internal-error';
      if (isRefused || error instanceof MaskLimit) throw new DestinationFailure('not-transformable', error);
      throw error;
    }
  }

  #toContext(configuration: Readonly<Record<string, string>>) {
    const { createTokens, detokenize } = this.#effects;
    return { createTokens, detokenize, configuration, request: this.#about };
  }
}

function isAboutResponse(name: string): boolean {
  return aboutResponse.has(name.toLowerCase());
}

function withoutDigests(headers: readonly HeaderField[]): HeaderField[] {
  return headers.filter(({ name }) => !aboutBytes.has(name.toLowerCase()));
}

async function readAll(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Leaving the loop destroys the body, which closes the connection.
    if (size > responseBytesMax) throw new DestinationFailure('answer-too-large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A body of one chunk. An empty buffer would be taken for its end and never be read. */
function toStream(body: Buffer): Readable {
  return Readable.from(body.length === 0 ? [] : [body], { objectMode: false });
}
