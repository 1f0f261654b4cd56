import type { SearchQuery } from '../../../core/search/search-query.ts';
import type { Parameters } from '../../../platform/database/statement-parameters.ts';
import type { TenantKeyring } from '../../../platform/keyring/keys/tenant-keyring.ts';
import { findLookup, type TokenLookup } from './token-lookup.ts';
import { toPredicate } from './token-predicate-sql.ts';

/**
 * Returns the tokens `t` that match a query, expired ones included, as everything after `select … from`. An index narrows
 * them down if one can.
 */
export function matchingTokens(query: SearchQuery, keys: TenantKeyring, parameters: Parameters): string {
  const lookup = findLookup(query, keys);
  return `${toSource(lookup, parameters)} where t.tenant_id = $1 and ${toPredicate(query, keys, parameters)}`;
}

/** Returns the tables to read for a look-up: `tokens t`, with the candidates if there are any. */
export function toSource(lookup: TokenLookup | undefined, parameters: Parameters): string {
  if (lookup === undefined) return 'tokens t';
  return `(${candidates(lookup, parameters)}) as candidate join tokens t on t.tenant_id = $1 and t.id = candidate.id`;
}

export function isSingleTerm(lookup: TokenLookup | undefined): boolean {
  return lookup?.terms.length === 1 && lookup.ids.length + lookup.fingerprints.length === 0;
}

/**
 * Returns the SQL for the candidates of a look-up. Several look-ups can find a token twice, so their results are made
 * distinct. A single term keeps the order of its index.
 */
function candidates(lookup: TokenLookup, parameters: Parameters): string {
  const { terms, ids, fingerprints } = lookup;
  if (isSingleTerm(lookup)) {
    return `select created_at, token_id as id from token_terms where tenant_id = $1 and term = ${parameters.add(terms[0] ?? null)}`;
  }
  const sources = [
    ...(terms.length === 0
      ? []
      : [
          `select token_id as id from token_terms where tenant_id = $1 and term = any(${parameters.add([...terms])}::bytea[])`,
        ]),
    ...(ids.length === 0 ? [] : [`select unnest(${parameters.add([...ids])}::text[]) as id`]),
    ...(fingerprints.length === 0
      ? []
      : [
          `select id from tokens where tenant_id = $1 and fingerprint = any(${parameters.add([...fingerprints])}::text[])`,
        ]),
  ];
  return `select distinct id from (${sources.join(' union all ')}) as found`;
}
