import type { TenantId } from '../../../core/identity/ids.ts';
import type { SearchQuery } from '../../../core/search/search-query.ts';
import { tokenLimits } from '../../../core/token-limits.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { Parameters } from '../../../platform/database/statement-parameters.ts';
import { findSetRanges, isDecidedByType, type SetRange, toShelfPredicate } from './token-shelf-predicate-sql.ts';
import { fromShelfKey, type TokenShelf } from '../model/token-shelf.ts';

/**
 * The maximum number of shelves that a page is read from. If there are more, it is read by one scan over all tokens.
 * That scan took 250 ms in a table with 400,000 tokens of other tenants. A page from 2,000 shelves takes 40 ms, one
 * from 1,000 takes 20 ms.
 */
const shelvesMax = 2_000;
/** A set has one row for each of its containers. */
const setRowsMax = shelvesMax * tokenLimits.containersMax;

/**
 * Reads the token counters and the container sets that they are kept for. The cost of a look-up grows with the number
 * of matching sets, not with the number of all sets.
 */
export class TokenShelfStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
  }

  /** Counts all live tokens: the totals, minus expired tokens that are not yet removed. */
  async countAll(): Promise<number> {
    const [row] = await this.#tx.query<{ total: number }>({
      name: 'token-total',
      text: `select (coalesce((select sum(tokens) from token_totals where tenant_id = $1), 0)
          - (select count(*) from tokens t where t.tenant_id = $1 and t.expires_at <= now()))::float8 as total`,
      values: [this.#tenantId],
    });
    return row?.total ?? 0;
  }

  /**
   * Returns the shelves that may contain matches, with their numbers of live tokens. Returns undefined if there are too
   * many to check one by one.
   */
  async find(query: SearchQuery): Promise<TokenShelf[] | undefined> {
    const parameters = new Parameters(this.#tenantId);
    const ranges = distinct(findSetRanges(query))?.map((range) => toRange(range, parameters)) ?? ['true'];
    const isPossible = toShelfPredicate(query, parameters, true);
    // The shelf has the collation of the other tables, because their indexes cannot be used otherwise.
    const rows = await this.#tx.query<{ shelf: string; tokens: number; found: number }>({
      // The condition is written only once, after a materialized step. Otherwise PostgreSQL would plan it again for
      // each of a hundred ranges.
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

  /** Counts the live tokens on all matching shelves, for a query that is decided by shelves. */
  async countMatching(query: SearchQuery): Promise<number> {
    const parameters = new Parameters(this.#tenantId);
    const isMatch = toShelfPredicate(query, parameters, true);
    // A query that does not depend on containers uses the totals, which have few rows.
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

/** Removes duplicate ranges. All terms of a query about content have the ranges of the same rules. */
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
