import { pickSearch } from '../../search-text';

/** Filters of the log. Each has the name of its API parameter. */
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

/** The state of the page, which is stored in its address: filters, time range, page, and the open record. */
const names = [...filterNames, 'range', 'from', 'to', 'start', 'record', 'record_at'] as const;
export type AuditSearch = { readonly [Name in (typeof names)[number]]?: string | undefined };

const timeNames = ['from', 'to', 'record_at'] as const;

/**
 * Parses the address. Invalid times are set to undefined instead of omitted, because the router copies every parameter
 * that is missing here from the address.
 */
export function parseAuditSearch(search: Record<string, unknown>): AuditSearch {
  const picked = pickSearch(search, names);
  const damaged = timeNames.filter((name) => name in picked && Number.isNaN(Date.parse(picked[name] ?? '')));
  return { ...picked, ...Object.fromEntries(damaged.map((name) => [name, undefined])) };
}
