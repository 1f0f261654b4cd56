import type { Sensitive } from '../identity/sensitive.ts';

/**
 * A parsed search. It is fully resolved for matchers: metadata values and container paths are lower-cased, and times
 * are half-open ranges.
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

/** Matches if the field equals the value. */
export interface TermQuery {
  readonly kind: 'term';
  readonly field: TermField;
  readonly value: string;
}

/**
 * Matches if the value equals one of the token's evaluated search indexes. The value is plaintext written by the
 * caller.
 */
export interface DataQuery {
  readonly kind: 'data';
  readonly value: Sensitive<string>;
}

export type TermField = 'id' | 'type' | 'fingerprint' | 'created_by' | 'modified_by';

/**
 * Matches a metadata pair. The key is kept as written and compared case-insensitively. The value is compared with the
 * lower-cased stored value.
 */
export interface MetadataQuery {
  readonly kind: 'metadata';
  readonly key: string;
  readonly value: string;
}

/** Matches if one of the token's containers is this one or, for a subtree, lies anywhere in it. */
export interface ContainerQuery {
  readonly kind: 'container';
  readonly path: string;
  readonly isSubtree: boolean;
}

/**
 * Matches if the first rule that covers the token says so. A token that no rule covers does not match. This expresses
 * what a caller may see, which the query language cannot. It is a single node, however many rules there are.
 */
export interface FirstRuleQuery {
  readonly kind: 'first-rule';
  readonly rules: readonly TokenRule[];
}

/** A rule that covers tokens that meet all conditions, or every token if it has none. */
export interface TokenRule {
  readonly conditions: readonly TokenCondition[];
  readonly isMatch: boolean;
}

export type TokenCondition =
  | ContainerQuery
  | { readonly kind: 'id'; readonly id: string }
  | { readonly kind: 'id-prefix'; readonly prefix: string };

/** Matches if `from` ≤ field < `before`. A token that lacks the field never matches, not even if both ends are open. */
export interface RangeQuery {
  readonly kind: 'range';
  readonly field: RangeField;
  readonly from?: Date;
  readonly before?: Date;
}

export type RangeField = 'created_at' | 'modified_at';

export interface CombinedQuery {
  readonly kind: 'and' | 'or';
  /** The operands, of which there are at least two. */
  readonly operands: readonly SearchQuery[];
}
