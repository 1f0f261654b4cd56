import { Transform, type TransformCallback } from 'node:stream';
import { DestinationFailure } from './destination-failure.ts';

/** The body of an answer on its way through, as it came and up to a limit. */
export class AnswerBody extends Transform {
  #bytesLeft: number;

  constructor(bytesMax: number) {
    super();
    this.#bytesLeft = bytesMax;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#bytesLeft -= chunk.length;
    if (this.#bytesLeft < 0) done(new DestinationFailure('answer-too-large'));
    else done(null, chunk);
  }
}
