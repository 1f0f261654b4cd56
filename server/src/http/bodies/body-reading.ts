import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toError } from '../../core/errors/thrown.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import type { BodyShare } from './body-memory.ts';
import { isHeldBack } from '../connections/expectation.ts';
import { discardAfterResponse, discardBeforeResponse } from '../connections/lingering.ts';
import { chargeWire } from '../callers/pacing.ts';
import { toDomainError } from '../problems/problem.ts';
import { problemCatalog } from '../problems/problem-catalog.ts';
import { whenOver } from '../connections/current-requests.ts';
import { pauseTimeLimit, resumeTimeLimit } from '../connections/time-limit.ts';

export interface BodyForm {
  readonly sizeMax: number;
  /** False for a body that is not used. It is counted and discarded. */
  readonly isKept?: boolean;
  /** False for a body whose bytes are passed on unchanged. It takes no additional memory. */
  readonly isParsed?: boolean;
  /**
   * Parses the body, and may throw an error for the client. A long body is parsed over several turns of the event loop.
   */
  readonly parse: (body: Buffer) => unknown;
}

export type Done = (error: Error | null, body?: unknown) => void;

/**
 * The maximum that is reserved up front, in bytes. Beyond that, memory is reserved as the body grows, whatever length
 * was announced, because announcing a length costs a client nothing.
 */
const firstBytesMax = 16 * 1024;
/** The length above which a body has to enter a lane before it is parsed, in bytes. */
const smallBytesMax = 64 * 1024;
const empty = Buffer.alloc(0);

/**
 * Reads one body, from its first byte until the request ends. Its bytes are copied into one growing buffer. If the
 * chunks were kept, a body in one-byte chunks would need an object per byte.
 */
export class BodyReading {
  readonly #request: FastifyRequest;
  readonly #body: Readable;
  readonly #form: BodyForm;
  readonly #enterLane: () => Promise<() => void>;
  readonly #isKept: boolean;
  readonly #capacityMax: number;
  /** Undefined after it has been called. */
  #done: Done | undefined;
  #share: BodyShare | undefined;
  #leaveLane: (() => void) | undefined;
  #bytes: Buffer = empty;
  #length = 0;

  constructor(
    request: FastifyRequest,
    form: BodyForm,
    { enterLane, done }: { readonly enterLane: () => Promise<() => void>; readonly done: Done },
  ) {
    this.#request = request;
    this.#body = request.raw;
    this.#form = form;
    this.#enterLane = enterLane;
    this.#done = done;
    this.#isKept = form.isKept ?? true;
    this.#capacityMax = announcedBytes(request) ?? form.sizeMax;
  }

  begin(response: FastifyReply['raw'] | undefined, open: (giveUp: (reason: DomainError) => void) => BodyShare): void {
    if (response === undefined) throw new Error('A body was read before its request had a response.');
    pauseTimeLimit(this.#request);
    this.#share = open((reason) => this.#refuse(reason));
    this.#body.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onError).resume();
    whenOver(this.#request, response, () => this.#end());
  }

  /** Lets the next large body in. Safe to call more than once. */
  leaveLane(): void {
    this.#leaveLane?.();
    this.#leaveLane = undefined;
  }

  readonly #onData = (chunk: Buffer): void => {
    const length = this.#length + chunk.length;
    if (length > this.#form.sizeMax) {
      this.#refuse(tooLarge());
      return;
    }
    this.#share?.note(chunk.length);
    try {
      if (this.#isKept) this.#keep(chunk, length);
    } catch (error) {
      this.#refuse(toDomainError(error));
      return;
    }
    this.#length = length;
  };

  readonly #onEnd = (): void => {
    this.#stopListening();
    resumeTimeLimit(this.#request);
    this.#share?.endArrival();
    chargeWire(this.#request, this.#length);
    const waits = this.#isKept && (this.#form.isParsed ?? true) && this.#length > smallBytesMax;
    if (waits) this.#enterLane().then((leave) => this.#goOn(leave), this.#fail);
    else this.#parse();
  };

  readonly #onError = (error: Error): void => {
    this.#release();
    this.#fail(error);
  };

  #goOn(leave: () => void): void {
    // The body was dropped or abandoned while it waited.
    if (this.#done === undefined) {
      leave();
      return;
    }
    this.#leaveLane = leave;
    this.#parse();
  }

  #parse(): void {
    this.#share?.keep();
    const body = this.#bytes.subarray(0, this.#length);
    // The parsed body replaces the bytes.
    this.#bytes = empty;
    try {
      const parsed = this.#form.parse(body);
      if (parsed instanceof Promise) parsed.then(this.#succeed, this.#fail);
      else this.#succeed(parsed);
    } catch (error) {
      this.#fail(toError(error));
    }
  }

  readonly #succeed = (body: unknown): void => this.#settle((done) => done(null, body));

  readonly #fail = (error: Error): void => this.#settle((done) => done(error));

  #settle(tell: (done: Done) => void): void {
    const done = this.#done;
    this.#done = undefined;
    if (done !== undefined) tell(done);
  }

  #keep(chunk: Buffer, length: number): void {
    if (length > this.#bytes.length) {
      const capacity = Math.min(Math.max(this.#bytes.length * 2, firstBytesMax, length), this.#capacityMax);
      this.#share?.grow(capacity - this.#bytes.length);
      const grown = Buffer.allocUnsafe(capacity);
      this.#bytes.copy(grown, 0, 0, this.#length);
      this.#bytes = grown;
    }
    chunk.copy(this.#bytes, this.#length);
  }

  #refuse(reason: DomainError): void {
    this.#release();
    this.#settle((done) => refuseBody(this.#request, reason, done));
  }

  /** Releases everything when the request has ended. A body that has not been parsed by now will not be. */
  #end(): void {
    this.#release();
    this.leaveLane();
    // Usually the body has been parsed. Creating an unneeded error here took 2.5 % of the time of a create request.
    if (this.#done !== undefined)
      this.#fail(new DomainError('malformed-request', problemCatalog['malformed-request'].meaning));
  }

  #release(): void {
    this.#stopListening();
    resumeTimeLimit(this.#request);
    this.#bytes = empty;
    this.#share?.close();
  }

  #stopListening(): void {
    this.#body.off('data', this.#onData).off('end', this.#onEnd).off('error', this.#onError);
  }
}

/**
 * Rejects a body. A client that was too slow gets its response and a closed connection. Other clients may still be
 * writing, so the rest of their body is discarded.
 */
export function refuseBody(request: FastifyRequest, reason: DomainError, done: Done): void {
  const proceed = () => done(reason);
  if (request.raw.readableEnded) {
    proceed();
    return;
  }
  if (reason.code === 'body-too-large' && !isHeldBack(request.raw)) {
    discardBeforeResponse(request, proceed);
    return;
  }
  if (reason.code !== 'request-timeout') discardAfterResponse(request);
  proceed();
}

/** Returns the content length, or undefined for a chunked body. */
export function announcedBytes({ headers }: FastifyRequest): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

export function tooLarge(): DomainError {
  return new DomainError('body-too-large', problemCatalog['body-too-large'].meaning);
}
