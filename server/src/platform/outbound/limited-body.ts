import { pipeline, type Readable, Transform } from 'node:stream';

/** The maximum size of a response from a service that the operator has configured. */
export const serviceResponseSizeMax = 256 * 1024;

/** Returns a body that fails as soon as it is larger than a response may be, and closes its connection. */
export function limitedBody(body: Readable, sizeMax = serviceResponseSizeMax): Readable {
  let size = 0;
  const limit = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > sizeMax) done(new Error('The response from the service is too large.'));
      else done(null, chunk);
    },
  });
  // If either side fails, the other one ends too, and the reader of the result gets the error.
  pipeline(body, limit, () => undefined);
  return limit;
}
