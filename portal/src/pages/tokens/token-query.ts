import { api, type Schemas, unwrap } from '../../api/client';
import { holdsCardNumber } from '../../parts/find/card-number';
import { escape, isQuery, quote, readPasted } from '../../parts/find/readings';
import type { TokenSearch } from './token-search';

export type Token = Schemas['Token'];

const pageSize = 25;

/** The number of newest cards and bank accounts whose last four digits are compared, because no index knows them. */
export const comparedMax = 100;

/**
 * Loads a page of tokens, from a search if there is a query, otherwise from a list. The filters apply to both. Text that
 * is not written in the query language is searched in every way that could find it.
 */
export async function loadTokens(
  search: TokenSearch,
  metadataKeys: readonly string[] = [],
): Promise<Schemas['TokenCursorPage']> {
  const { query, start } = search;
  if (query !== undefined && !isQuery(query)) {
    const read = readPasted(query, metadataKeys);
    const found = await loadTokens({ ...search, query: `(${read.query})` });
    if (read.lastFour === undefined || start !== undefined) return found;
    return { ...found, data: mergeById([...found.data, ...(await loadEndingIn(read.lastFour, search))]) };
  }
  if (query !== undefined) {
    const body = { query: toQuery(query, search), size: pageSize, ...(start === undefined ? {} : { start }) };
    return unwrap(api.POST('/v2/tokens/search', { body }));
  }
  const { metadata, type, container, fingerprint } = search;
  const pairs = metadata === undefined ? [] : parsePairs(metadata);
  return unwrap(
    api.GET('/v2/tokens', {
      params: {
        query: {
          size: pageSize,
          ...(start === undefined ? {} : { start }),
          ...(type === undefined ? {} : { type }),
          ...(container === undefined ? {} : { container }),
          ...(fingerprint === undefined ? {} : { fingerprint }),
          ...(pairs.length === 0 ? {} : { metadata: JSON.stringify(Object.fromEntries(pairs)) }),
        },
      },
    }),
  );
}

/** Finds cards and bank accounts among the newest by their last four digits. */
async function loadEndingIn(digits: string, { type }: TokenSearch): Promise<Token[]> {
  const types = ['card', 'bank'].filter((one) => type === undefined || type === one);
  const pages = await Promise.all(
    types.map((one) => unwrap(api.GET('/v2/tokens', { params: { query: { size: comparedMax, type: one } } }))),
  );
  return pages.flatMap(({ data }) =>
    data.filter(({ card, bank }) => (card?.last4 ?? bank?.account_number_last4) === digits),
  );
}

function mergeById(tokens: readonly Token[]): Token[] {
  return [...new Map(tokens.map((token) => [token.id, token])).values()];
}

/** Combines the query and the filters. */
function toQuery(query: string, { type, container, fingerprint, metadata }: TokenSearch): string {
  const terms = [
    ...(type === undefined ? [] : [`type:${quote(type)}`]),
    ...(container === undefined ? [] : [`container:${quote(container)}`]),
    ...(fingerprint === undefined ? [] : [`fingerprint:${quote(fingerprint)}`]),
    ...parsePairs(metadata ?? '').map(([key, value]) => `metadata.${escape(key)}:${quote(value)}`),
  ];
  return terms.length === 0 ? query : [`(${query})`, ...terms].join(' AND ');
}

/** Parses text such as `customer=c-1, region=eu`. A part without `=` is a key with an empty value. */
function parsePairs(text: string): [string, string][] {
  return text
    .split(',')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [key = '', ...rest] = pair.split('=');
      return [key.trim(), rest.join('=').trim()];
    });
}

const operators = new Set(['AND', 'OR', 'NOT', '&&', '||', '!', '-', '']);
const openTerm =
  /^[!-]*(?:id|type|container|fingerprint|created_by|modified_by|created_at|modified_at|metadata\.[^\s:\\]+):/;

/**
 * Returns true if a query may contain token data: it searches data, or it contains a word that is not a term of another
 * field, such as a pasted card number. Such a query must not become part of the address, because browsers remember
 * addresses. A field name may contain a backslash anywhere.
 */
export function mayHoldData(query: string): boolean {
  // Spaces inside quotes or brackets do not separate words.
  const words = query.replaceAll(/"(?:\\.|[^"\\])*"|[[{][^\]}]*[\]}]/g, '""').split(/[\s()]+/);
  const isOpen = words.every((word) => operators.has(word) || openTerm.test(word));
  return !isOpen || query.replaceAll('\\', '').includes('data:') || holdsCardNumber(query);
}
