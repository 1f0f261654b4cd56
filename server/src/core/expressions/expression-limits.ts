/** Limits of the engine itself; those of the expressions that a token may carry are in `core/token-limits.ts`. */

/** Opening braces that turn out not to contain a token id; an upload of a megabyte has about sixteen by chance. */
export const foreignBracesPerTextMax = 50_000;

export const listItemsMax = 65_536;

/** Of a value that a filter writes as JSON. */
export const stringifiedCharactersMax = 128 * 1024;
