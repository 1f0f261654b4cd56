import { api, type Schemas, unwrap } from '../../api/client';
import type { TokenSearch } from './token-search';

export type Token = Schemas['Token'];

const pageSize = 25;

/** A page of tokens: searched where there is a query, listed otherwise. The filters apply to both. */
export function loadTokens(search: TokenSearch): Promise<Schemas['TokenCursorPage']> {
  const { query, start } = search;
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

/** The query and the filters as one. */
function toQuery(query: string, { type, container, fingerprint, metadata }: TokenSearch): string {
  const terms = [
    ...(type === undefined ? [] : [`type:${quote(type)}`]),
    ...(container === undefined ? [] : [`container:${quote(container)}`]),
    ...(fingerprint === undefined ? [] : [`fingerprint:${quote(fingerprint)}`]),
    ...parsePairs(metadata ?? '').map(([key, value]) => `metadata.${escape(key)}:${quote(value)}`),
  ];
  return terms.length === 0 ? query : [`(${query})`, ...terms].join(' AND ');
}

/** `customer=c-1, region=eu`; what has no `=` is a key with an empty value. */
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
 * Whether a query may hold a value of data: it asks for one, or it has a word that is no term of another field, such as a card
 * number that somebody pasted. It must not become part of the address, which the browser remembers. A backslash may stand
 * anywhere in a name.
 */
export function mayHoldData(query: string): boolean {
  // Spaces between quotes or brackets separate nothing.
  const words = query.replaceAll(/"(?:\\.|[^"\\])*"|[[{][^\]}]*[\]}]/g, '""').split(/[\s()]+/);
  const isOpen = words.every((word) => operators.has(word) || openTerm.test(word));
  return !isOpen || query.replaceAll('\\', '').includes('data:');
}

function quote(value: string): string {
  return `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

function escape(name: string): string {
  return name.replaceAll(/[\s()":\\*?]/g, String.raw`\$&`);
}
