import type { TokenSearch } from './token-search';

/** The list from which a token was opened, so that deleting the token leads back to it with its filters. */
let last: { readonly search: TokenSearch; readonly pasted: string | undefined } = { search: {}, pasted: undefined };

export function rememberSearch(search: TokenSearch, pasted: string | undefined): void {
  last = { search, pasted };
}

export function lastSearch(): typeof last {
  return last;
}
