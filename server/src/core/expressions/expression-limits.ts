/** Characters between the first opening and the last closing brace, and of a template as a whole. */
export const expressionCharactersMax = 1_000;
/** Expressions per token; a single template or mask can never use more than this. */
export const expressionsPerTokenMax = 64;
export const filtersPerExpressionMax = 8;
/** Steps below the root: `data.a.b` has two. Also the number of segments of a JSONPath. */
export const pathStepsMax = 16;

export const maskDepthMax = 32;
export const maskNodesMax = 1_000;

/** Opening braces that turn out not to contain a token id; an upload of a megabyte has about sixteen by chance. */
export const foreignBracesPerTextMax = 50_000;
export const tokenIdCharactersMax = 400;

export const listItemsMax = 65_536;

/** Of a value that a filter writes as JSON. */
export const stringifiedCharactersMax = 128 * 1024;
