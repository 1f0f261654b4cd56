import type { TenantId, TokenId } from '../../../core/identity/ids.ts';
import { tokenQueryLimits } from '../../../core/token-limits.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { Parameters } from '../../../platform/database/statement-parameters.ts';
import type { StoredToken } from '../model/token.ts';
import { isSingleTerm, toSource } from './matching-tokens-sql.ts';
import type { TokenLookup } from './token-lookup.ts';

import {
  bytesBefore,
  type FoundRow,
  isAlive,
  joinCvc,
  rowBytes,
  tokenBytes,
  tokenColumns,
  toStoredTokens,
} from '../model/token-row-sql.ts';
import { type TokenShelf, toShelfKey } from '../model/token-shelf.ts';

/** A slice of the matches, newest first. It starts at an offset or after the last token of the previous page. */
export interface Slice {
  readonly offset: number;
  readonly limit: number;
  readonly after?: { readonly createdAt: Date; readonly id: TokenId };
  /**
   * True to read only tokens with little data. Otherwise the page is limited to the amount of data that one statement
   * may read.
   */
  readonly isShort?: boolean;
}

/** The tokens of a page, and whether more follow. */
export interface TokenPage {
  readonly tokens: StoredToken[];
  /** True if there are tokens after these. */
  readonly hasMore: boolean;
  /** True if the page ends before its limit because more tokens would exceed the amount of data that may be read. */
  readonly isCut: boolean;
}

export const emptyPage: TokenPage = { tokens: [], hasMore: false, isCut: false };

/**
 * The maximum amount of token data, in bytes, that each waiting list may hold in memory. Lists that are being processed
 * may hold more.
 */
export const shortPageBytesMax = 64 * 1024;

const newestFirst = 'order by t.created_at desc, t.id desc';

/**
 * Page sizes whose plans are cached. Plans for other sizes are not, because every connection caches its own plans and a
 * caller may try all possible sizes.
 */
const usualSizes = new Set([10, 20, 25, 50, 100]);

/** Lists and counts tokens. The cost depends on the page and the number of shelves, not on the number of tokens. */
export class TokenQueryStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
  }

  async listOnShelves(shelves: readonly TokenShelf[] | 'all', slice: Slice): Promise<TokenPage> {
    const parameters = new Parameters(this.#tenantId);
    const isInSlice = `t.tenant_id = $1 and ${isAlive} and ${isAfter('t', slice, parameters)}`;
    if (shelves === 'all') {
      const text = `select ${toColumns(slice)} from tokens t where ${isInSlice} ${newestFirst} ${toPlace(slice)}`;
      return this.#read({ name: 'token-newest', text, parameters, slice });
    }
    const keys = parameters.add(shelves.map(toShelfKey));
    const upToEnd = toPlace({ offset: 0, limit: slice.offset + slice.limit });
    const onShelf = `select t.created_at, t.id from tokens t where ${isInSlice} and t.shelf = wanted.shelf ${newestFirst}`;
    // A page of n tokens comes from at most n shelves: those with the newest tokens.
    return this.#read({
      name: 'token-on-shelves',
      text: `select t.created_at, t.id from (
          select wanted.shelf from unnest(${keys}::text[]) as wanted(shelf)
          cross join lateral (${onShelf} limit 1) as t ${newestFirst} ${upToEnd}
        ) as wanted
        cross join lateral (${onShelf} ${upToEnd}) as t ${newestFirst} ${toPlace(slice)}`,
      parameters,
      slice,
    });
  }

  /** Lists tokens that meet a condition, through an index if one narrows them down. */
  listMatching(match: TokenMatch, slice: Slice): Promise<TokenPage> {
    return this.#read({ ...this.#toPage(match, slice), slice });
  }

  /** Lists the tokens under a term. The condition consists of this term alone. */
  listUnderTerm(match: TokenMatch, slice: Slice): Promise<TokenPage> {
    return this.#read({ ...this.#toPage(match, slice), name: 'token-under-term', slice });
  }

  async countMatching(match: TokenMatch): Promise<number> {
    const { parameters, text } = this.#matching(match);
    const [row] = await this.#tx.query<{ total: number }>({
      text: `select count(*)::float8 as total ${text}`,
      values: parameters.values,
    });
    return row?.total ?? 0;
  }

  /** Counts all live tokens under a term and reads only the expired ones. Returns infinity for `listedMax` or more. */
  async countUnderTerm(term: Buffer, listedMax = Number.MAX_SAFE_INTEGER): Promise<number> {
    const [row] = await this.#tx.query<{ listed: number; expired: number }>({
      name: 'token-count-term',
      text: `select
          (select count(*) from (select from token_terms where tenant_id = $1 and term = $2 limit $3) as entries)::float8 as listed,
          (select count(*) from tokens t where t.tenant_id = $1 and t.expires_at <= now() and t.terms @> array[$2::bytea])::float8 as expired`,
      values: [this.#tenantId, term, listedMax],
    });
    const { listed, expired } = row ?? { listed: 0, expired: 0 };
    return listed < listedMax ? listed - expired : Number.POSITIVE_INFINITY;
  }

  #toPage(match: TokenMatch, slice: Slice): { parameters: Parameters; text: string } {
    const { parameters, text } = this.#matching(match);
    // The index for a single term is already newest-first, so no sort is needed.
    const from = isSingleTerm(match.lookup) ? 'candidate' : 't';
    const isWithin = isAfter(from, slice, parameters);
    const order = `order by ${from}.created_at desc, ${from}.id desc`;
    return { parameters, text: `select ${toColumns(slice)} ${text} and ${isWithin} ${order} ${toPlace(slice)}` };
  }

  #matching({ makeParameters, toPredicate, lookup }: TokenMatch): { parameters: Parameters; text: string } {
    const parameters = makeParameters();
    const from = toSource(lookup, parameters);
    return { parameters, text: `from ${from} where t.tenant_id = $1 and ${isAlive} and ${toPredicate(parameters)}` };
  }

  /**
   * Reads the tokens of a page by their ids. Whole rows are fetched only for tokens that are shown, up to a total size.
   * One extra id shows whether there is another page. A short page is read in one step. A page at the start or after a
   * cursor uses a prepared statement, named after its shape and size, because planning it each time took three times as
   * long as reading it. A page with an offset is not prepared, because its best plan depends on the offset. PostgreSQL
   * would cache a generic plan that reads the whole table (observed with 20,000 tokens).
   */
  async #read(page: { name?: string; text: string; parameters: Parameters; slice: Slice }): Promise<TokenPage> {
    const { name, slice } = page;
    const { isShort = false, limit } = slice;
    const isKept = name !== undefined && slice.offset === 0 && usualSizes.has(limit);
    const bytes = isShort ? rowBytes : tokenBytes;
    const isWithin = isShort
      ? `bytes_before + bytes <= ${shortPageBytesMax}`
      : `bytes_before < ${tokenQueryLimits.pageBytesMax}`;
    const rows = await this.#tx.query<FoundRow | NoRow>({
      ...(isKept
        ? { name: `${name}${slice.after === undefined ? '' : '-after'}${isShort ? '-short' : ''}-${limit}` }
        : {}),
      text: `with page as materialized (${page.text})
        select token.*, counted.found from (select count(*)::integer as found from page) as counted left join (
          select ${tokenColumns}, row_number() over (${newestFirst}) as place, ${bytes} as bytes, ${bytesBefore('t.created_at desc, t.id desc', bytes)}
          from ${isShort ? 'page as t' : 'page join tokens t on t.tenant_id = $1 and t.id = page.id'} ${joinCvc}) as token
        on place <= ${limit} and ${isWithin} order by place`,
      values: page.parameters.values,
    });
    const found = rows[0]?.found ?? 0;
    const read = rows.filter((row) => row.id !== null);
    return {
      tokens: toStoredTokens(this.#tenantId, read),
      hasMore: read.length < found,
      isCut: read.length < Math.min(found, limit),
    };
  }
}

/** The row that reports how many tokens were found if none of them is read. */
interface NoRow {
  readonly id: null;
  readonly found: number;
}

/** A condition on tokens, and where to look for them. */
export interface TokenMatch {
  /** Creates parameters that begin with the tenant. */
  readonly makeParameters: () => Parameters;
  readonly toPredicate: (parameters: Parameters) => string;
  readonly lookup: TokenLookup | undefined;
}

/** Returns the condition for tokens after the last one of the previous page. */
function isAfter(from: string, { after }: Slice, parameters: Parameters): string {
  if (after === undefined) return 'true';
  return `(${from}.created_at, ${from}.id) < (${parameters.add(after.createdAt)}::timestamptz, ${parameters.add(after.id)}::text)`;
}

/**
 * Returns the columns to read for each candidate of a page. Tokens may be skipped, so a long page reads only the
 * columns in the index.
 */
function toColumns({ isShort = false }: Slice): string {
  return isShort ? 't.*' : 't.created_at, t.id';
}

/**
 * Returns the position of a page with one token more than it shows. The numbers are part of the text, so that a cached
 * plan is optimized for this number of rows.
 */
function toPlace({ offset, limit }: Slice): string {
  if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(limit))
    throw new TypeError('A place is two whole numbers.');
  return `offset ${offset} limit ${limit + 1}`;
}
