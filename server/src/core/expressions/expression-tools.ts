export type HmacAlgorithm = 'sha-1' | 'sha-256' | 'sha-512';

/** What evaluation needs from outside: this folder computes no digests and generates no randomness itself. */
export interface ExpressionTools {
  hmac(algorithm: HmacAlgorithm, key: string, message: string): Uint8Array;
  /** A uniform integer from 0 up to but not including `maxExclusive`, from a cryptographic source. */
  randomInt(maxExclusive: number): number;
  /** Set for the default mask of a type: a value no longer than what a filter reveals is hidden completely. */
  readonly hidesShortValues?: boolean;
}
