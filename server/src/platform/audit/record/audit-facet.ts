/** Columns of a record that the log can be filtered by through counters; all of them are also names of filters. */
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

/** Host names have at most 253 characters, and nothing else here is longer. A longer value is not counted. */
export const facetValueLengthMax = 300;
