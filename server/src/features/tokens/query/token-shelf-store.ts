import type { TenantId } from '../../../core/identity/ids.ts';
import type { SearchQuery } from '../../../core/search/search-query.ts';
import { tokenLimits } from '../../../core/token-limits.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { Parameters } from '../../../platform/database/statement-parameters.ts';
import { findSetRanges, isDecidedByType, type SetRange, toShelfPredicate } from './token-shelf-predicate-sql.ts';
import { fromShelfKey, type TokenShelf } from '../model/token-shelf.ts';

/**
 * Past this many shelves a page is read by one scan over all tokens instead. That scan took 250 ms beside 400,000 tokens of
 * others; a page from so many shelves takes 40 ms, one from 1,000 takes 20 ms.
 */
const shelvesMax = 2_000;
/** A set is in as many rows as it has containers. */
const setRowsMax = shelvesMax * tokenLimits.containersMax;

/** Counters, and the sets of containers that they are kept by. No look at them takes longer where there are more sets than match. */
export class TokenShelfStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
  }

  /** All living tokens: the totals, less what has expired and was not yet removed. */
  async countAll(): Promise<number> {
    const [row] = await this.#tx.query<{ total: number }>({
      name: 'token-total',
      text: `select (coalesce((select sum(tokens) from token_totals where tenant_id = $1), 0)
          - (select count(*) from tokens t where t.tenant_id = $1 and t.expires_at <= now()))::float8 as total`,
      values: [this.#tenantId],
    });
    return row?.total ?? 0;
  }

  /** Shelves that may hold matches, each with its living tokens; undefined where there are more than should be looked at one by one. */
  async find(query: SearchQuery): Promise<TokenShelf[] | undefined> {
    const parameters = new Parameters(this.#tenantId);
    const ranges = distinct(findSetRanges(query))?.map((range) => toRange(range, parameters)) ?? ['true'];
    const isPossible = toShelfPredicate(query, parameters, true);
    // In the collation of the other tables: without it their indexes are of no use.
    const rows = await this.#tx.query<{ shelf: string; tokens: number; found: number }>({
      // The condition is written once, behind a fence: PostgreSQL would plan it again for each of a hundred ranges.
      text: `with ranged as materialized (
          ${ranges.map((range) => `select t.shelf from token_sets t where t.tenant_id = $1 and ${range}`).join(' union all ')}
        ), found as materialized (
          select t.shelf from ranged t where ${isPossible} limit ${setRowsMax + 1}
        ), sets as materialized (
          select distinct shelf collate "default" as shelf from found limit ${shelvesMax + 1})
        select shelf, sum(tokens)::float8 as tokens, (select count(*) from found)::float8 as found from (
          select shelf, 0 as tokens from sets
          union all
          select c.shelf, c.tokens from sets join token_counts c on c.tenant_id = $1 and c.shelf = sets.shelf
          union all
          select t.shelf, -1 from tokens t where t.tenant_id = $1 and t.expires_at <= now() and t.shelf in (select shelf from sets)
        ) as counted group by shelf`,
      values: parameters.values,
    });
    if (rows.length > shelvesMax || (rows[0]?.found ?? 0) > setRowsMax) return undefined;
    return rows.filter(({ tokens }) => tokens > 0).map(({ shelf, tokens }) => ({ ...fromShelfKey(shelf), tokens }));
  }

  /** The living tokens of all shelves that match, of a query that shelves decide. */
  async countMatching(query: SearchQuery): Promise<number> {
    const parameters = new Parameters(this.#tenantId);
    const isMatch = toShelfPredicate(query, parameters, true);
    // What containers do not matter for is in the totals, of which there are few.
    const counters = isDecidedByType(query)
      ? `(select tokens, type || ' ' as shelf from token_totals where tenant_id = $1) as t where`
      : 'token_counts t where t.tenant_id = $1 and';
    const [row] = await this.#tx.query<{ total: number }>({
      text: `select (coalesce((select sum(t.tokens) from ${counters} ${isMatch}), 0)
          - (select count(*) from tokens t where t.tenant_id = $1 and t.expires_at <= now() and ${isMatch}))::float8 as total`,
      values: parameters.values,
    });
    return row?.total ?? 0;
  }
}

/** All terms of a query about content have the ranges of the same rules. */
function distinct(ranges: readonly SetRange[] | undefined): readonly SetRange[] | undefined {
  if (ranges === undefined) return undefined;
  return [...new Map(ranges.map((range) => [`${range.column} ${range.from} ${range.to ?? ''}`, range])).values()];
}

function toRange({ column, from, to }: SetRange, parameters: Parameters): string {
  const first = parameters.add(from);
  return to === undefined
    ? `t.${column} = ${first}`
    : `t.${column} >= ${first} and t.${column} < ${parameters.add(to)}`;
}
