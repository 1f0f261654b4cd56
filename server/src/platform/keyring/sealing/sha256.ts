import { createHash, hash } from 'node:crypto';

/** A plain digest, for data that is not secret: it proves nothing without a signature. */
export function sha256(bytes: Buffer): Buffer {
  return hash('sha256', bytes, 'buffer');
}

/** The same for data too large to be held at once. */
export async function sha256OfChunks(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const digest = createHash('sha256');
  for await (const chunk of chunks) digest.update(chunk);
  return digest.digest();
}
