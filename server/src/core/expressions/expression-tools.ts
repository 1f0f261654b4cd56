export type HmacAlgorithm = 'sha-1' | 'sha-256' | 'sha-512';

/**
 * The functions that evaluation needs from outside. This folder computes no digests and generates no randomness itself.
 */
export interface ExpressionTools {
  hmac(algorithm: HmacAlgorithm, key: string, message: string): Uint8Array;
  /** Returns a uniform integer from 0 (inclusive) to `maxExclusive`, from a cryptographic source. */
  randomInt(maxExclusive: number): number;
  /**
   * True for the default mask of a type. A value no longer than the part that a filter reveals is then hidden
   * completely.
   */
  readonly hidesShortValues?: boolean;
}
