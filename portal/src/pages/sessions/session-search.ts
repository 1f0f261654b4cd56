import { pickSearch } from '../../search-text';

/** The filter of the list, and the cursor at which its page starts. */
const names = ['waiting', 'start'] as const;
export type SessionSearch = Partial<Record<(typeof names)[number], string>>;

export function parseSessionSearch(search: Record<string, unknown>): SessionSearch {
  return pickSearch(search, names);
}
