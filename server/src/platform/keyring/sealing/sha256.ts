import { createHash, hash } from 'node:crypto';

/** Computes a plain digest of data that is not secret. It proves nothing without a signature. */
export function sha256(bytes: Buffer): Buffer {
  return hash('sha256', bytes, 'buffer');
}

/** Computes the same digest of data that is too large for memory. */
export async function sha256OfChunks(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const digest = createHash('sha256');
  for await (const chunk of chunks) digest.update(chunk);
  return digest.digest();
}
