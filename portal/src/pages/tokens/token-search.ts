import { pickSearch } from '../../search-text';

/** The filters of the token list, which are stored in the address. */
export const tokenSearchNames = ['type', 'container', 'fingerprint', 'metadata', 'query', 'start'] as const;
export type TokenSearch = { readonly [Name in (typeof tokenSearchNames)[number]]?: string | undefined };

export function parseTokenSearch(search: Record<string, unknown>): TokenSearch {
  return pickSearch(search, tokenSearchNames);
}
