import type { StoredToken } from './token.ts';

/** Returns the search indexes that the token was given, or undefined if the default of the type applies. */
export function parseSearchIndexes({ searchIndexes }: StoredToken): readonly string[] | undefined {
  if (searchIndexes === null) return undefined;
  const parsed: unknown = JSON.parse(searchIndexes);
  if (!isTextList(parsed)) throw new TypeError('Search indexes are stored as a list of texts.');
  return parsed;
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
