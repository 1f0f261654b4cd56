/**
 * Every limit of a token and of what asks for tokens, in one place: schemas, checks, SQL, the API description and the
 * documentation take their numbers from here. The length of a text is counted in code points (`core/text/code-points.ts`), as
 * JSON Schema and PostgreSQL's `char_length` do. What one request may ask for in all is in `core/budget/request-budget.ts`,
 * what any JSON document may hold in `core/json/json-limits.ts`.
 */
export const tokenLimits = {
  /** Of a token as JSON, and so of a body, of a record to import, and of what patches make of data or mask. */
  sizeBytesMax: 4 * 1024 * 1024,
  idLengthMin: 3,
  idLengthMax: 400,
  typeLengthMax: 50,
  containersMax: 10,
  containerLengthMax: 400,
  /** Of all containers of a token together. They stand in an index beside the id, and PostgreSQL's B-trees take 2,704 bytes. */
  containersLengthMax: 1_000,
  metadataKeysMax: 50,
  metadataKeyLengthMax: 200,
  metadataValueLengthMax: 500,
  searchIndexesMax: 20,
  fingerprintLengthMax: 100,
  fingerprintExpressionLengthMax: 400,
  /** Of an id expression, a search index and a text in a mask, and of what stands between braces. */
  expressionLengthMax: 1_000,
  /** Over mask, search indexes and fingerprint. */
  expressionsMax: 64,
  filtersPerExpressionMax: 8,
  /** Below the root: `data.a.b` has two. Also the segments of a JSONPath. */
  pathStepsMax: 16,
  /** Arrays and objects around a value. */
  maskDepthMax: 32,
  maskValuesMax: 1_000,
  /** Each is looked at for a verification code under another name. */
  cardMembersMax: 1_000,
  cvcLifeSeconds: 3_600,
  /** The longest spelling, month first with nanoseconds, designator and offset, has 39 characters. */
  expiresAtLengthMax: 50,
} as const;

export const tokenQueryLimits = {
  queryLengthMax: 200,
  queryDepthMax: 32,
  /** Of one parameter that is repeated. */
  filterValuesMax: 100,
  filterMetadataKeysMax: 10,
  /** A time and the longest id fit in. */
  cursorLengthMax: 500,
  /** Pages end once their data has so much; the token that goes past it is still in. */
  pageBytesMax: 8 * 1024 * 1024,
} as const;

export const tokenizeLimits = {
  tokensMax: 1_000,
  depthMax: 32,
  /** Members and items outside of token requests, at all depths together. */
  valuesMax: 10_000,
  /** Different tokens that a detokenization or a proxy call refers to. */
  referencedTokensMax: 100,
} as const;
