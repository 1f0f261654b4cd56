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

const timeNames = ['from', 'to', 'record_at'] as const;

/** What should be a time and is none counts as not given. Said explicitly: the router adds whatever else an address has. */
export function parseAuditSearch(search: Record<string, unknown>): AuditSearch {
  const picked = pickSearch(search, names);
  const damaged = timeNames.filter((name) => name in picked && Number.isNaN(Date.parse(picked[name] ?? '')));
  return { ...picked, ...Object.fromEntries(damaged.map((name) => [name, undefined])) };
}
