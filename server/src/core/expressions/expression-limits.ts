/** Limits of the engine itself. The limits on the expressions of a token are in `core/token-limits.ts`. */

/**
 * The maximum number of opening braces that are not followed by a token id. A one-megabyte upload contains about
 * sixteen by chance.
 */
export const foreignBracesPerTextMax = 50_000;

export const listItemsMax = 65_536;

/** The maximum length of a value that a filter writes as JSON. */
export const stringifiedCharactersMax = 128 * 1024;
