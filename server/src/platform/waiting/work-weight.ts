/*
 * What work takes of the event loop, in milliseconds, as measured on two cores of a small machine. Work of the usual size
 * weighs nothing: it is counted by the limits on requests.
 */

const mebibyte = 1024 * 1024;
/** Receiving or sending: copying, reading or writing text. */
const wireMsPerByte = 8 / mebibyte;
/** Reading from the database and opening, or sealing: hexadecimal text, AES, UTF-8, and memory to collect. */
const dataMsPerByte = 20 / mebibyte;
const tokenMs = 0.1;
/** An HMAC, and a row to write. */
const termMs = 0.015;
const expressionMs = 0.02;

/** A condition of a rule, compared with a container. */
const comparisonMs = 0.000_05;

const usualBytes = 64 * 1024;
const usualTokens = 10;
const usualTerms = 100;
const usualConditions = 30;
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

/** Search terms and expressions, over all tokens of a request. */
export function weighAttributes({ terms, expressions }: { terms: number; expressions: number }): number {
  return termMs * Math.max(0, terms - usualTerms) + expressionMs * Math.max(0, expressions - usualTerms);
}

/** Comparing all conditions of somebody's rules with all places that they name. */
export function weighRights(conditions: number): number {
  return comparisonMs * Math.max(0, conditions ** 2 - usualConditions ** 2);
}

/**
 * A list or a search by a caller with many rules. PostgreSQL compares them with each token that it looks at, on the processors that serve
 * everybody: 400 conditions and 1,300 tokens took 600 ms. How many tokens that will be is not known before.
 */
export function weighSearch({ conditions, milliseconds }: { conditions: number; milliseconds: number }): number {
  return conditions <= usualConditions ? 0 : Math.max(0, milliseconds - usualSearchMs);
}
