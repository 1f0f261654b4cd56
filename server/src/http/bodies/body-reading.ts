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
import { whenOver } from '../connections/request-end.ts';
import { pauseTimeLimit, resumeTimeLimit } from '../connections/time-limit.ts';

export interface BodyForm {
  readonly sizeMax: number;
  /** False for a body that is not used: it is counted and discarded. */
  readonly isKept?: boolean;
  /** False for a body whose bytes are passed on unchanged, which takes no additional memory. */
  readonly isParsed?: boolean;
  /** May throw an error for the client. A long body is parsed over several turns of the event loop. */
  readonly parse: (body: Buffer) => unknown;
}

export type Done = (error: Error | null, body?: unknown) => void;

/** Above this, memory is reserved as the body grows and not as announced: announcing a length costs a client nothing. */
const firstBytesMax = 16 * 1024;
/** A longer body waits for a turn before it is parsed. */
const smallBytesMax = 64 * 1024;
const empty = Buffer.alloc(0);

/**
 * One body, from its first byte until the request ends. Its bytes are copied into one growing buffer: kept
 * as they arrive, a body in one-byte chunks would need an object per byte.
 */
export class BodyReading {
  readonly #request: FastifyRequest;
  readonly #body: Readable;
  readonly #form: BodyForm;
  readonly #enterLane: () => Promise<() => void>;
  readonly #isKept: boolean;
  readonly #capacityMax: number;
  /** Until it has been called. */
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
    // Dropped or abandoned while it waited.
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
    // The parsed body replaces it.
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

  /** The request has ended: a body that has not been parsed by now will not be. */
  #end(): void {
    this.#release();
    this.leaveLane();
    // Nearly always it has been: an error for nothing was 2.5 % of a create.
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

/** A client that is too slow gets its response and a closed connection; other clients are still writing. */
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

/** Undefined for a chunked body. */
export function announcedBytes({ headers }: FastifyRequest): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

export function tooLarge(): DomainError {
  return new DomainError('body-too-large', problemCatalog['body-too-large'].meaning);
}
