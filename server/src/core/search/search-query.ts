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
  | FirstRuleQuery
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

/**
 * The first of the rules that covers the token says whether it matches; a token that no rule covers does not. What a caller may see is
 * such a query. The query language cannot express it. However many rules there are, it is one node.
 */
export interface FirstRuleQuery {
  readonly kind: 'first-rule';
  readonly rules: readonly TokenRule[];
}

/** Covers tokens that meet all conditions, and every token if it has none. */
export interface TokenRule {
  readonly conditions: readonly TokenCondition[];
  readonly isMatch: boolean;
}

export type TokenCondition =
  | ContainerQuery
  | { readonly kind: 'id'; readonly id: string }
  | { readonly kind: 'id-prefix'; readonly prefix: string };

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
