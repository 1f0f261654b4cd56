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

/** So many entries of an index are read in a tenth of a second. */
const entriesMax = 100_000;
const multipleMax = 64;

/** The most tokens that are counted before others may be kept waiting for it. */
const quicklyCountedMax = 10_000;

export interface PageQuestion {
  readonly tenantId: TenantId;
  readonly asked: SearchQuery | 'all';
  readonly keys: TenantKeyring;
  readonly slice: Slice;
  /** Whether the total is wanted; it is 0 otherwise. */
  readonly isCounted: boolean;
}

export type CountedPage = TokenPage & { readonly totalItems: number };

/** Whether a page is most likely found within a millisecond: it begins at the start of what one index has in order. */
export function isQuick({ asked, slice }: PageQuestion): boolean {
  return slice.offset === 0 && (asked === 'all' || hasOneTerm(asked));
}

/** A page that is short and quickly counted; undefined if it turns out not to be, without having read it. */
export async function findQuickly(tx: Transaction, question: PageQuestion): Promise<CountedPage | undefined> {
  const quick = { ...question, slice: { ...question.slice, isShort: true } };
  const page = await findPage(tx, quick, quicklyCountedMax);
  return page.isCut || !Number.isFinite(page.totalItems) ? undefined : page;
}

/**
 * Finds a page the cheapest way that its question leaves: by shelves, under a term, or by looking at tokens one by one. Under a
 * term, `countedMax` tokens or more count as infinitely many.
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

/** Where the first page begins does not depend on how many tokens there are; a later one may lie past the end. */
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

/** Sent together: neither needs the other. */
async function together(listing: Promise<TokenPage>, counting: Promise<number> | number): Promise<CountedPage> {
  const [page, totalItems] = await Promise.all([listing, counting]);
  return { ...page, totalItems };
}

/** The term that is all a question asks for. */
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
 * Of each shelf a page may take all that comes before its end, so that a late page of many full shelves reads a multiple of
 * what it skips. One scan over all tokens is better then.
 */
function isReadByShelf(shelves: readonly TokenShelf[], { offset, limit }: Slice): boolean {
  const end = offset + limit;
  const entries = shelves.reduce((sum, { tokens }) => sum + Math.min(tokens, end), 0);
  return entries <= Math.max(entriesMax, multipleMax * end);
}

function sumOf(shelves: readonly TokenShelf[]): number {
  return shelves.reduce((sum, { tokens }) => sum + tokens, 0);
}
