import type { FirstRuleQuery, SearchQuery } from '../../../core/search/search-query.ts';
import type { TenantKeyring } from '../../../platform/keyring/keys/tenant-keyring.ts';

/** Indexed places to look at that together hold every match of a query. */
export interface TokenLookup {
  readonly terms: readonly Buffer[];
  readonly ids: readonly string[];
  readonly fingerprints: readonly string[];
}

/** The terms under which a search index value or a metadata pair is listed; nearly always one. */
export function termsOf(query: SearchQuery, keys: TenantKeyring): readonly Buffer[] | undefined {
  if (query.kind === 'metadata') {
    return spellingsOf(query.key).map((key) => keys.blindIndex('metadata', key, query.value));
  }
  if (query.kind === 'data') return [keys.blindIndex('data', query.value.reveal())];
  return undefined;
}

/** Whether there is exactly one such term. It need not be made for that. */
export function hasOneTerm(query: SearchQuery): boolean {
  return query.kind === 'data' || (query.kind === 'metadata' && spellingsOf(query.key).length === 1);
}

/**
 * Keys are compared without regard to case. Tokens that earlier versions wrote are listed under the key as it was written,
 * and without opening them nothing can change that: so a key is looked for as it is given, too.
 */
function spellingsOf(key: string): string[] {
  return [...new Set([key.toLowerCase(), key])];
}

/** Where to look for matches; undefined when no index narrows the query down. */
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

/** The ids that rules name, if every rule that lets something through names one. */
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

/** Ids and fingerprints find few tokens; a term may find many. */
function cost({ terms, ids, fingerprints }: TokenLookup): number {
  return terms.length * 1_000 + fingerprints.length * 10 + ids.length;
}
