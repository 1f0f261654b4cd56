import type { TenantId } from '../../../core/identity/ids.ts';
import type { SearchQuery } from '../../../core/search/search-query.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import type { TenantKeyring } from '../../../platform/keyring/keys/tenant-keyring.ts';
import { Parameters } from '../../../platform/database/statement-parameters.ts';
import { findLookup, hasOneTerm, termsOf } from './token-lookup.ts';
import { toPredicate } from './token-predicate-sql.ts';
import { emptyPage, type Slice, type TokenMatch, type TokenPage, TokenQueryStore } from './token-query-store.ts';
import { isDecidedByShelf } from './token-shelf-predicate-sql.ts';
import { TokenShelfStore } from './token-shelf-store.ts';
import { matchShelf, type TokenShelf } from '../model/token-shelf.ts';

/** The number of index entries that can be read in a tenth of a second. */
const entriesMax = 100_000;
const multipleMax = 64;

/** The maximum number of tokens to count while other requests wait. */
const quicklyCountedMax = 10_000;

export interface PageQuestion {
  readonly tenantId: TenantId;
  readonly asked: SearchQuery | 'all';
  readonly keys: TenantKeyring;
  readonly slice: Slice;
  /** True if the total is requested. Otherwise it is 0. */
  readonly isCounted: boolean;
}

export type CountedPage = TokenPage & { readonly totalItems: number };

/** Returns whether a page can probably be found within a millisecond because it is at the start of a single index. */
export function isQuick({ asked, slice }: PageQuestion): boolean {
  return slice.offset === 0 && (asked === 'all' || hasOneTerm(asked));
}

/**
 * Finds a page that is short and quick to count. Returns undefined if it turns out not to be, without having read it.
 */
export async function findQuickly(tx: Transaction, question: PageQuestion): Promise<CountedPage | undefined> {
  const quick = { ...question, slice: { ...question.slice, isShort: true } };
  const page = await findPage(tx, quick, quicklyCountedMax);
  return page.isCut || !Number.isFinite(page.totalItems) ? undefined : page;
}

/**
 * Finds a page in the cheapest way that the query allows: by shelves, under a term, or by checking tokens one by one.
 * Under a term, a count of `countedMax` or more is returned as infinity.
 */
export async function findPage(tx: Transaction, question: PageQuestion, countedMax?: number): Promise<CountedPage> {
  const { tenantId, asked, keys, slice, isCounted } = question;
  const store = new TokenQueryStore(tx, tenantId);
  const shelves = new TokenShelfStore(tx, tenantId);
  if (asked === 'all') return findAny(store, shelves, question);

  const term = termOf(asked, keys);
  if (term !== undefined) {
    return together(
      store.listUnderTerm(toMatch(tenantId, asked, keys), slice),
      isCounted ? store.countUnderTerm(term, countedMax) : 0,
    );
  }

  const matching = await shelves.find(asked);
  const isExact = isDecidedByShelf(asked) || matching?.every((shelf) => matchShelf(asked, shelf) === 'all') === true;
  if (matching !== undefined && isExact && isReadByShelf(matching, slice)) {
    const totalItems = sumOf(matching);
    return slice.offset >= totalItems
      ? { ...emptyPage, totalItems }
      : { ...(await store.listOnShelves(matching, slice)), totalItems };
  }
  const match = toMatch(tenantId, asked, keys);
  if (!isCounted) return { ...(await store.listMatching(match, slice)), totalItems: 0 };
  return together(
    store.listMatching(match, slice),
    isDecidedByShelf(asked) ? shelves.countMatching(asked) : store.countMatching(match),
  );
}

/** Finds a page of all tokens. The first page does not depend on the total, but a later one may be past the end. */
async function findAny(
  store: TokenQueryStore,
  shelves: TokenShelfStore,
  { slice, isCounted }: PageQuestion,
): Promise<CountedPage> {
  if (slice.offset === 0) return together(store.listOnShelves('all', slice), isCounted ? shelves.countAll() : 0);
  const totalItems = await shelves.countAll();
  return slice.offset >= totalItems
    ? { ...emptyPage, totalItems }
    : { ...(await store.listOnShelves('all', slice)), totalItems };
}

/** Sends both statements together, because neither depends on the other. */
async function together(listing: Promise<TokenPage>, counting: Promise<number> | number): Promise<CountedPage> {
  const [page, totalItems] = await Promise.all([listing, counting]);
  return { ...page, totalItems };
}

/** Returns the term of a query that consists of a single term. */
function termOf(asked: SearchQuery, keys: TenantKeyring): Buffer | undefined {
  return hasOneTerm(asked) ? termsOf(asked, keys)?.[0] : undefined;
}

function toMatch(tenantId: TenantId, query: SearchQuery, keys: TenantKeyring): TokenMatch {
  return {
    makeParameters: () => new Parameters(tenantId),
    toPredicate: (parameters) => toPredicate(query, keys, parameters),
    lookup: findLookup(query, keys),
  };
}

/**
 * Returns whether a page should be read shelf by shelf. From each shelf, a page may have to read every entry up to the
 * end of the page, so a late page over many full shelves reads many times as many entries as it skips. In that case,
 * one scan over all tokens is faster.
 */
function isReadByShelf(shelves: readonly TokenShelf[], { offset, limit }: Slice): boolean {
  const end = offset + limit;
  const entries = shelves.reduce((sum, { tokens }) => sum + Math.min(tokens, end), 0);
  return entries <= Math.max(entriesMax, multipleMax * end);
}

function sumOf(shelves: readonly TokenShelf[]): number {
  return shelves.reduce((sum, { tokens }) => sum + tokens, 0);
}
