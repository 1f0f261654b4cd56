/*
 * The event loop time of work, in milliseconds, as measured on two cores of a small machine. Work of the usual size has
 * no weight, because the rate limits cover it.
 */

const mebibyte = 1024 * 1024;
/** The cost of receiving or sending: copying, and reading or writing text. */
const wireMsPerByte = 8 / mebibyte;
/**
 * The cost of reading a value from the database and opening it, or of sealing it. It includes hexadecimal text, AES,
 * UTF-8, and garbage collection.
 */
const dataMsPerByte = 20 / mebibyte;
const tokenMs = 0.1;
/** The cost of an HMAC and of writing a row. */
const termMs = 0.015;
const expressionMs = 0.02;

/** The cost of comparing one condition of a rule with one container. */
const comparisonMs = 0.000_05;

/** The cost of comparing a member of stored data with a patch, measured with 60,000 of them. */
const memberMs = 0.002;

const usualBytes = 64 * 1024;
const usualTokens = 10;
const usualTerms = 100;
const usualConditions = 30;
const usualMembers = 10_000;
const usualSearchMs = 50;

export function weighWire(bytes: number): number {
  return wireMsPerByte * Math.max(0, bytes - usualBytes);
}

export function weighData(bytes: number): number {
  return dataMsPerByte * Math.max(0, bytes - usualBytes);
}

export function weighTokens(tokens: number): number {
  return tokenMs * Math.max(0, tokens - usualTokens);
}

/** Weighs the search terms and expressions of all tokens of a request. */
export function weighAttributes({ terms, expressions }: { terms: number; expressions: number }): number {
  return termMs * Math.max(0, terms - usualTerms) + expressionMs * Math.max(0, expressions - usualTerms);
}

/** Weighs comparing the members of stored data with those of a patch. */
export function weighMembers(members: number): number {
  return memberMs * Math.max(0, members - usualMembers);
}

/** Weighs comparing all conditions of a caller's rules with all containers that they name. */
export function weighRights(conditions: number): number {
  return comparisonMs * Math.max(0, conditions ** 2 - usualConditions ** 2);
}

/**
 * Weighs a list or a search by a caller with many rules. PostgreSQL compares the rules with each token that it
 * examines, on processors that all tenants share: 400 conditions and 1,300 tokens took 600 ms. The number of tokens is
 * not known in advance.
 */
export function weighSearch({ conditions, milliseconds }: { conditions: number; milliseconds: number }): number {
  return conditions <= usualConditions ? 0 : Math.max(0, milliseconds - usualSearchMs);
}
