/**
 * Every limit of a token and of requests for tokens, in one place. Schemas, checks, SQL, the API description and the
 * documentation take their numbers from here. The length of a text is counted in code points
 * (`core/text/code-points.ts`), as in JSON Schema and PostgreSQL's `char_length`. Limits per request are in
 * `core/budget/request-budget.ts`, and limits of any JSON document in `core/json/json-limits.ts`.
 */
export const tokenLimits = {
  /**
   * The maximum size of a token as JSON. It also applies to a body, to a record to import, and to data after a patch.
   */
  sizeBytesMax: 4 * 1024 * 1024,
  idLengthMin: 3,
  idLengthMax: 400,
  typeLengthMax: 50,
  containersMax: 10,
  containerLengthMax: 400,
  /**
   * The maximum total length of a token's containers. They share an index entry with the id, and PostgreSQL's B-trees
   * accept at most 2,704 bytes per entry.
   */
  containersLengthMax: 1_000,
  metadataKeysMax: 50,
  metadataKeyLengthMax: 200,
  metadataValueLengthMax: 500,
  searchIndexesMax: 20,
  fingerprintLengthMax: 100,
  fingerprintExpressionLengthMax: 400,
  /** The maximum length of an id expression, a search index and a text in a mask, and of the text between braces. */
  expressionLengthMax: 1_000,
  /** The total number of expressions in the mask, the search indexes and the fingerprint. */
  expressionsMax: 64,
  filtersPerExpressionMax: 8,
  /** The steps below the root: `data.a.b` has two. It also limits the segments of a JSONPath. */
  pathStepsMax: 16,
  /** The maximum number of arrays and objects around a value. */
  maskDepthMax: 32,
  maskValuesMax: 1_000,
  /** The size of a new mask as JSON. It is parsed whenever its token changes, so its names are limited too. */
  maskBytesMax: 64 * 1024,
  /** The number of members is limited because each one is checked for a misnamed verification code. */
  cardMembersMax: 1_000,
  cvcLifeSeconds: 3_600,
  /** The longest spelling, month first with nanoseconds, designator and offset, has 39 characters. */
  expiresAtLengthMax: 50,
} as const;

export const tokenQueryLimits = {
  queryLengthMax: 200,
  queryDepthMax: 32,
  /** The maximum number of values of one repeated parameter. */
  filterValuesMax: 100,
  filterMetadataKeysMax: 10,
  /** A time and the longest id fit in this length. */
  cursorLengthMax: 500,
  /** A page ends when its data reaches this size. The token that exceeds it is still included. */
  pageBytesMax: 8 * 1024 * 1024,
} as const;

export const tokenizeLimits = {
  tokensMax: 1_000,
  depthMax: 32,
  /** Members and items outside token requests, at all depths together. */
  valuesMax: 10_000,
  /** The number of different tokens that a detokenization or a proxy call refers to. */
  referencedTokensMax: 100,
} as const;
