export type HmacAlgorithm = 'sha-1' | 'sha-256' | 'sha-512';

/** What evaluation needs from outside: this folder computes no digest and draws no randomness of its own. */
export interface ExpressionTools {
  hmac(algorithm: HmacAlgorithm, key: string, message: string): Uint8Array;
  /** A uniform integer from 0 up to but not including `maxExclusive`, from a cryptographic source. */
  randomInt(maxExclusive: number): number;
  /** Set for the default mask of a type: a value that is not longer than what a filter reveals is hidden whole. */
  readonly hidesShortValues?: boolean;
}
