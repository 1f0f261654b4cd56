import type { SeededRandom } from '../../src/core/random/seeded-random.ts';
import { tokenQueryLimits } from '../../src/core/token-limits.ts';
import { times } from '../harness/heavy-requests.ts';

const { queryLengthMax, filterValuesMax, filterMetadataKeysMax } = tokenQueryLimits;
/** Queries that are too long must be refused just as quickly. */
const queryLengths = [20, 60, queryLengthMax / 2, queryLengthMax, queryLengthMax, queryLengthMax, 1_000, 4_000];

type Make = (random: SeededRandom) => string;

const number: Make = (random) => String(random.below(100));
const container: Make = (random) =>
  random.pick([`"/c${random.below(100)}/*"`, `/c${random.below(100)}/`, '/*', '/', `"/c${random.below(100)}/d/*"`]);

/**
 * Every kind of term: content terms, which are combined with every rule; container terms, for which container sets are
 * read; and invalid terms.
 */
const terms: readonly Make[] = [
  (random) => `data:${number(random)}`,
  (random) => `data:"123-45-67${number(random)}"`,
  () => 'data:1',
  (random) => `fingerprint:f${number(random)}`,
  (random) => `id:tok${number(random)}`,
  () => 'id:a',
  (random) => `type:${random.pick(['token', 'card', 'social_security_number'])}`,
  (random) => `created_by:${number(random)}`,
  (random) => `metadata.k${number(random)}:${number(random)}`,
  (random) => `container:${container(random)}`,
  (random) => `container:${container(random)}`,
  () => 'created_at:[2020-01-01 TO *]',
  () => 'modified_at:{* TO 2040-01-01}',
  () => String.raw`data:\(\)\"`,
  (random) => `${random.pick(['data', 'metadata.a', 'type'])}:a*?`,
];

/** Returns a search of roughly the requested length, in the grammar of `core/search/parse-search-query.ts`. */
export function drawQuery(random: SeededRandom): string {
  const length = random.pick(queryLengths);
  // A query with one kind of term contains more of that kind than any mixture.
  const some = random.chance(0.5) ? [random.pick(terms)] : terms.slice(0, 1 + random.below(terms.length));
  const joins = random.pick([[' OR '], [' AND '], [' || '], [' OR ', ' AND ', ' && ']]);
  const wrapping = random.pick([0, 0, 0.2, 0.6]);
  let query = drawTerm(random, some);
  for (;;) {
    const next = `${query}${random.pick(joins)}${drawTerm(random, some)}`;
    if (next.length > length) return query;
    const isWrapped = random.chance(wrapping) && next.length + 4 <= length;
    query = isWrapped ? `${random.pick(['', 'NOT ', '!', '-'])}(${next})` : next;
  }
}

function drawTerm(random: SeededRandom, some: readonly Make[]): string {
  return `${random.pick(['', '', '', '-', 'NOT '])}${random.pick(some)(random)}`;
}

/** Returns list filters, with as many values as allowed or one more. */
export function drawFilters(random: SeededRandom): string {
  const isFull = random.chance(0.2);
  const many = () => (isFull ? filterValuesMax : random.pick([1, 10, filterValuesMax, filterValuesMax + 1]));
  const filters: readonly (() => string[])[] = [
    () => times(many(), (index) => `id=tok${index}`),
    () => times(many(), (index) => `type=type${index}`),
    () => times(many(), (index) => `fingerprint=f${index}`),
    () => times(many(), (index) => `container=/c${index}/${random.pick(['', '*', 'd/'])}`),
    () => times(filterMetadataKeysMax, (index) => `metadata.k${index}=${index}`),
    () => [`size=${random.pick([1, 20, 100])}`],
  ];
  return filters.flatMap((make) => (isFull || random.chance(0.6) ? make() : [])).join('&');
}
