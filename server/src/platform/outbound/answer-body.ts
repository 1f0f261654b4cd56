import { Transform, type TransformCallback } from 'node:stream';
import { type AnswerPace, costOf } from './answer-pace.ts';
import { DestinationFailure } from './destination-failure.ts';

/** The body of an answer on its way through, as it came, up to a limit and at a bounded pace. */
export class AnswerBody extends Transform {
  readonly #bytesMax: number;
  readonly #pace: AnswerPace;
  #bytes = 0;

  constructor(bytesMax: number, pace: AnswerPace) {
    // Few bytes wait here, because they may be as many chunks.
    super({ writableHighWaterMark: 1024 });
    this.#bytesMax = bytesMax;
    this.#pace = pace;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const cost = costOf(chunk);
    const waitMs = this.#pace.waitMs(cost, this.#bytes);
    this.#bytes += cost;
    // Not told through `done`, which would ask for the next of thousands of waiting chunks, each with an error of its own.
    if (this.#bytes > this.#bytesMax) this.destroy(new DestinationFailure('answer-too-large'));
    else if (waitMs <= 0) done(null, chunk);
    else setTimeout(done, waitMs, null, chunk);
  }
}
