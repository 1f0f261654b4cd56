/** A card network's number format, in the form that the public client libraries use. */
export interface CardType {
  readonly type: string;
  readonly niceType: string;
  /** Prefixes, or ranges of prefixes of the same length. */
  readonly patterns: readonly (number | readonly [number, number])[];
  readonly lengths: readonly number[];
  /** Positions, in digits, after which a space is shown. */
  readonly gaps: readonly number[];
  readonly code: { readonly name: string; readonly size: number };
}
