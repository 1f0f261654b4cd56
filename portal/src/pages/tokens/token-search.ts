import { pickSearch } from '../../search-text';

/** What the list of tokens is filtered by; the address holds it. */
export const tokenSearchNames = ['type', 'container', 'fingerprint', 'metadata', 'query', 'start'] as const;
export type TokenSearch = Partial<Record<(typeof tokenSearchNames)[number], string>>;

export function parseTokenSearch(search: Record<string, unknown>): TokenSearch {
  return pickSearch(search, tokenSearchNames);
}
