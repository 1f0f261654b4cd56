import { hash } from 'node:crypto';

/** A plain digest, for what is no secret: it proves nothing without a signature over it. */
export function sha256(bytes: Buffer): Buffer {
  return hash('sha256', bytes, 'buffer');
}
