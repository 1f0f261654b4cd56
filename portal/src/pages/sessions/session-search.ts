import { pickSearch } from '../../search-text';

/** Which sessions are listed, and from where on. */
const names = ['waiting', 'start'] as const;
export type SessionSearch = Partial<Record<(typeof names)[number], string>>;

export function parseSessionSearch(search: Record<string, unknown>): SessionSearch {
  return pickSearch(search, names);
}
