export type QueryToken =
  | { readonly kind: 'open' | 'close' | 'and' | 'or' | 'not' | 'end'; readonly offset: number }
  | FieldToken;

/** A `field:value` pair that is still text. */
export interface FieldToken {
  readonly kind: 'field';
  readonly offset: number;
  readonly name: string;
  readonly value: QueryText | QueryRange;
}

export interface QueryText {
  readonly kind: 'text';
  readonly offset: number;
  readonly text: string;
  /** True if the text has an unquoted and unescaped `*` or `?`. */
  readonly hasWildcard: boolean;
}

export interface QueryRange {
  readonly kind: 'range';
  readonly offset: number;
  readonly from: QueryText;
  readonly to: QueryText;
  readonly includesFrom: boolean;
  readonly includesTo: boolean;
}
