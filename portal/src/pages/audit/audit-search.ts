import { pickSearch } from '../../search-text';

/** Filters of the log; each is also a parameter of the API. */
export const filterNames = [
  'actor_id',
  'actor_type',
  'entity_type',
  'entity_id',
  'operation',
  'outcome',
  'transform',
  'key_id',
  'source_address',
  'destination',
  'request_id',
] as const;
export type FilterName = (typeof filterNames)[number];

/** State of the page, held by its address: filters, a range of time, a page, and the record that is open. */
const names = [...filterNames, 'range', 'from', 'to', 'start', 'record', 'record_at'] as const;
export type AuditSearch = { readonly [Name in (typeof names)[number]]?: string | undefined };

export function parseAuditSearch(search: Record<string, unknown>): AuditSearch {
  return pickSearch(search, names);
}
