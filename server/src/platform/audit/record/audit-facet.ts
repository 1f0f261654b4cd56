/**
 * The columns of a record for which the log keeps counters, so that filters on them are fast. Each of them is also the
 * name of a filter.
 */
export const facetFields = [
  'actor_id',
  'actor_type',
  'key_id',
  'source_address',
  'operation',
  'outcome',
  'transform',
  'destination',
] as const;
export type FacetField = (typeof facetFields)[number];

/**
 * The maximum length of a counted value. Host names have at most 253 characters, and no other counted value is longer.
 * Values above the limit are not counted.
 */
export const facetValueLengthMax = 300;
