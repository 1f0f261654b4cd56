import { Transform, type TransformCallback } from 'node:stream';
import { type ResponsePace, costOf } from './response-pace.ts';
import { DestinationFailure } from './destination-failure.ts';

/** Passes the body of a response through, up to a limit and at a bounded rate. */
export class ResponseBody extends Transform {
  readonly #bytesMax: number;
  readonly #pace: ResponsePace;
  #bytes = 0;

  constructor(bytesMax: number, pace: ResponsePace) {
    // The buffer is small, because each byte may be a separate chunk.
    super({ writableHighWaterMark: 1024 });
    this.#bytesMax = bytesMax;
    this.#pace = pace;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const cost = costOf(chunk);
    const waitMs = this.#pace.waitMs(cost, this.#bytes);
    this.#bytes += cost;
    // The error is not reported through `done`, which would request the next of thousands of waiting chunks, each with
    // its own error.
    if (this.#bytes > this.#bytesMax) this.destroy(new DestinationFailure('answer-too-large'));
    else if (waitMs <= 0) done(null, chunk);
    else setTimeout(done, waitMs, null, chunk);
  }
}
