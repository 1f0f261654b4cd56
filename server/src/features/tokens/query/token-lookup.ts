import type { FirstRuleQuery, SearchQuery } from '../../../core/search/search-query.ts';
import type { TenantKeyring } from '../../../platform/keyring/keys/tenant-keyring.ts';

/** Index entries that together cover every match of a query. */
export interface TokenLookup {
  readonly terms: readonly Buffer[];
  readonly ids: readonly string[];
  readonly fingerprints: readonly string[];
}

/** Returns the terms that a search index value or a metadata pair is indexed under. There is nearly always just one. */
export function termsOf(query: SearchQuery, keys: TenantKeyring): readonly Buffer[] | undefined {
  if (query.kind === 'metadata') {
    return spellingsOf(query.key).map((key) => keys.blindIndex('metadata', key, query.value));
  }
  if (query.kind === 'data') return [keys.blindIndex('data', query.value.reveal())];
  return undefined;
}

/** Returns whether there is exactly one such term, without computing it. */
export function hasOneTerm(query: SearchQuery): boolean {
  return query.kind === 'data' || (query.kind === 'metadata' && spellingsOf(query.key).length === 1);
}

/**
 * Keys are compared without regard to case. Tokens from earlier versions are indexed under the key as it was written,
 * which cannot be changed without opening them. Therefore a key is also looked up as given.
 */
function spellingsOf(key: string): string[] {
  return [...new Set([key.toLowerCase(), key])];
}

/** Returns the index entries to search for matches, or undefined if no index narrows the query down. */
export function findLookup(query: SearchQuery, keys: TenantKeyring): TokenLookup | undefined {
  const terms = termsOf(query, keys);
  if (terms !== undefined) return { terms, ids: [], fingerprints: [] };
  if (query.kind === 'term' && query.field === 'id') return { terms: [], ids: [query.value], fingerprints: [] };
  if (query.kind === 'term' && query.field === 'fingerprint')
    return { terms: [], ids: [], fingerprints: [query.value] };

  if (query.kind === 'first-rule') return findRuleLookup(query);
  if (query.kind === 'or') {
    const lookups = query.operands.map((operand) => findLookup(operand, keys));
    return lookups.every((lookup) => lookup !== undefined) ? lookups.reduce(union) : undefined;
  }
  if (query.kind === 'and') {
    const lookups = query.operands.flatMap((operand) => findLookup(operand, keys) ?? []);
    return lookups.toSorted((a, b) => cost(a) - cost(b))[0];
  }
  return undefined;
}

/** Returns the ids that the rules name, or undefined if a matching rule names none. */
function findRuleLookup({ rules }: FirstRuleQuery): TokenLookup | undefined {
  const ids = rules
    .filter(({ isMatch }) => isMatch)
    .map(({ conditions }) => conditions.find((condition) => condition.kind === 'id')?.id);
  return ids.every((id) => id !== undefined) ? { terms: [], ids, fingerprints: [] } : undefined;
}

function union(a: TokenLookup, b: TokenLookup): TokenLookup {
  return {
    terms: [...a.terms, ...b.terms],
    ids: [...a.ids, ...b.ids],
    fingerprints: [...a.fingerprints, ...b.fingerprints],
  };
}

/** Estimates the cost of a look-up. Ids and fingerprints find few tokens, while a term may find many. */
function cost({ terms, ids, fingerprints }: TokenLookup): number {
  return terms.length * 1_000 + fingerprints.length * 10 + ids.length;
}
