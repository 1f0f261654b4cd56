import type { Sensitive } from '../identity/sensitive.ts';

/**
 * A parsed search. Everything a matcher needs is resolved here: metadata
 * values and container paths are lower-cased, and times are half-open ranges.
 */
export type SearchQuery =
  | TermQuery
  | DataQuery
  | MetadataQuery
  | ContainerQuery
  | RangeQuery
  | IdPrefixQuery
  | CombinedQuery
  | { readonly kind: 'not'; readonly operand: SearchQuery };

/** The field equals the value. */
export interface TermQuery {
  readonly kind: 'term';
  readonly field: TermField;
  readonly value: string;
}

/** The value equals one of the token's evaluated search indexes: anyone who asks writes down plaintext. */
export interface DataQuery {
  readonly kind: 'data';
  readonly value: Sensitive<string>;
}

export type TermField = 'id' | 'type' | 'fingerprint' | 'created_by' | 'modified_by';

/** The key as written, compared case-insensitively; the value is compared with the lower-cased stored one. */
export interface MetadataQuery {
  readonly kind: 'metadata';
  readonly key: string;
  readonly value: string;
}

/** One of the token's containers is this one or, for a subtree, is anywhere in it. */
export interface ContainerQuery {
  readonly kind: 'container';
  readonly path: string;
  readonly isSubtree: boolean;
}

/** The id starts with the text. Used by access rules; the query language cannot express it. */
export interface IdPrefixQuery {
  readonly kind: 'id-prefix';
  readonly prefix: string;
}

/** `from` ≤ field < `before`. A token that lacks the field never matches, not even when both ends are open. */
export interface RangeQuery {
  readonly kind: 'range';
  readonly field: RangeField;
  readonly from?: Date;
  readonly before?: Date;
}

export type RangeField = 'created_at' | 'modified_at';

export interface CombinedQuery {
  readonly kind: 'and' | 'or';
  /** Two or more. */
  readonly operands: readonly SearchQuery[];
}
