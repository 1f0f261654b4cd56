import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Sensitive } from '../../../core/identity/sensitive.ts';
import { sha256 } from '../sealing/sha256.ts';

export const callerProofTypes = ['secret', 'hmac-sha256', 'hmac-sha512'] as const;
export const callerProofEncodings = ['hex', 'base64'] as const;

/** How a caller proves that it knows a secret. */
export interface CallerProofForm {
  /** The secret itself, or its HMAC of the body (RFC 2104). */
  readonly type: (typeof callerProofTypes)[number];
  readonly encoding: (typeof callerProofEncodings)[number];
  /** The text in front of the proof, such as `sha256=`. */
  readonly prefix: string;
}

/** Returns whether a header proves that the caller knows the secret. */
export function isCallerProof(
  { type, encoding, prefix }: CallerProofForm,
  { given, secret, body }: { readonly given: string; readonly secret: Sensitive<string>; readonly body: Buffer },
): boolean {
  const proof =
    type === 'secret'
      ? secret.reveal()
      : createHmac(type === 'hmac-sha256' ? 'sha256' : 'sha512', secret.reveal())
          .update(body)
          .digest(encoding);
  const written = encoding === 'hex' && type !== 'secret' ? given.toLowerCase() : given;
  // The function hashes both texts first, so that its time tells nothing about the length of a secret.
  return timingSafeEqual(sha256(Buffer.from(written)), sha256(Buffer.from(`${prefix}${proof}`)));
}
