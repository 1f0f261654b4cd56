/** The columns of a record by which the log can be filtered through counters. All of them are also filter names. */
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
 * The maximum length of a counted value. Host names have at most 253 characters, and nothing else here is longer. A
 * longer value is not counted.
 */
export const facetValueLengthMax = 300;
