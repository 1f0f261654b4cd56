import type { TenantId, TokenId } from '../../../core/identity/ids.ts';
import { tokenQueryLimits } from '../../../core/token-limits.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { Parameters } from '../../../platform/database/statement-parameters.ts';
import type { StoredToken } from '../model/token.ts';
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

/** Which part of the matches, newest first: from a position, or after the last token of the page before. */
export interface Slice {
  readonly offset: number;
  readonly limit: number;
  readonly after?: { readonly createdAt: Date; readonly id: TokenId };
  /** Whether only what has little data is read of it; otherwise it is as much as one statement may read. */
  readonly isShort?: boolean;
}

/** The tokens of a page, and what follows it. */
export interface TokenPage {
  readonly tokens: StoredToken[];
  /** There are tokens after these. */
  readonly hasMore: boolean;
  /** The page ends before its limit: more tokens would make more data than is read of it. */
  readonly isCut: boolean;
}

export const emptyPage: TokenPage = { tokens: [], hasMore: false, isCut: false };

/** So much data of tokens may be in memory for every list that waits, as opposed to being worked on. */
export const shortPageBytesMax = 64 * 1024;

const newestFirst = 'order by t.created_at desc, t.id desc';

/** Sizes of pages whose plans are kept: every connection keeps each, and a caller may try all sizes there are. */
const usualSizes = new Set([10, 20, 25, 50, 100]);

/** Lists of tokens. The cost of each depends on the page and the number of shelves, not on the number of tokens. */
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
    // A page of so many tokens comes from so many shelves at most: those whose newest token is newer than that of the others.
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

  /** Tokens that meet a condition, found through an index where one narrows them down. */
  listMatching(match: TokenMatch, slice: Slice): Promise<TokenPage> {
    return this.#read({ ...this.#toPage(match, slice), slice });
  }

  /** Tokens under one term, which is all that the condition says. */
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

  /** All tokens under a term, without a look at any of them but the expired ones; infinitely many from `listedMax` on. */
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
    // Under a single term tokens are listed newest first already; taken from there, nothing has to be sorted.
    const from = isSingleTerm(match.lookup) ? 'candidate' : 't';
    const isWithin = isAfter(from, slice, parameters);
    const order = `order by ${from}.created_at desc, ${from}.id desc`;
    return { parameters, text: `select ${toColumns(slice)} ${text} and ${isWithin} ${order} ${toPlace(slice)}` };
  }

  #matching({ makeParameters, toPredicate, lookup }: TokenMatch): { parameters: Parameters; text: string } {
    const parameters = makeParameters();
    const from =
      lookup === undefined
        ? 'tokens t'
        : `(${candidates(lookup, parameters)}) as candidate join tokens t on t.tenant_id = $1 and t.id = candidate.id`;
    return { parameters, text: `from ${from} where t.tenant_id = $1 and ${isAlive} and ${toPredicate(parameters)}` };
  }

  /**
   * Reads the tokens of a page by their ids: whole rows are fetched for what is shown and for nothing else, and only as
   * many as have a bounded length together. One id more than asked for tells whether there is another page. A short page is read
   * at once. A page that begins at the start, or after a cursor, is prepared once, under a name for its shape and size; planning it each time
   * took three times as long as reading it. A late page has no name: its best plan depends on how late it is, and
   * PostgreSQL would keep one that suits any, which reads the whole table (seen with 20,000 tokens).
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

/** Tells how many were found where none of them is read. */
interface NoRow {
  readonly id: null;
  readonly found: number;
}

/** A condition on tokens, with where to look for them. */
export interface TokenMatch {
  /** Parameters that begin with the tenant. */
  readonly makeParameters: () => Parameters;
  readonly toPredicate: (parameters: Parameters) => string;
  readonly lookup: TokenLookup | undefined;
}

/** After the last token of the page before. */
function isAfter(from: string, { after }: Slice, parameters: Parameters): string {
  if (after === undefined) return 'true';
  return `(${from}.created_at, ${from}.id) < (${parameters.add(after.createdAt)}::timestamptz, ${parameters.add(after.id)}::text)`;
}

/** What is read of each token on the way to a page: of those that may only be skipped, as little as an index has. */
function toColumns({ isShort = false }: Slice): string {
  return isShort ? 't.*' : 't.created_at, t.id';
}

/** With one more than the page shows. Written into the text, so that a plan which is kept is one for so many rows. */
function toPlace({ offset, limit }: Slice): string {
  if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(limit))
    throw new TypeError('A place is two whole numbers.');
  return `offset ${offset} limit ${limit + 1}`;
}

function isSingleTerm(lookup: TokenLookup | undefined): boolean {
  return lookup?.terms.length === 1 && lookup.ids.length + lookup.fingerprints.length === 0;
}

/** Several look-ups can find a token twice, so they are made distinct; a single term keeps its order and its index. */
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
