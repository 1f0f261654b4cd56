import type { TenantId } from '../../../core/identity/ids.ts';
import { noSingleEntity } from '../../../platform/audit/record/audit-event.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { Parameters } from '../../../platform/database/statement-parameters.ts';
import type { TimeBudget } from '../../../platform/waiting/time-budget.ts';
import { FacetWalkStore } from './facet-walk-store.ts';
import type { Log, LogCursor, LogFilter, LogSlice } from '../model/log.ts';
import { LogCountStore } from './log-count-store.ts';
import { conditionsOf, logColumns, newestFirst, typesOf } from '../model/log-sql.ts';
import type { Counted, LogWalk } from '../model/log-walk.ts';
import { SliceWalkStore } from './slice-walk-store.ts';

/** The limit for totals that counters cannot provide. Nobody pages through more records. */
export const countMax = 10_000;

interface Slice {
  readonly offset: number;
  readonly limit: number;
  readonly after: LogCursor | undefined;
}

/**
 * Returns the query for a page over several kinds of entities. One index serves every kind. The newest records of each
 * kind are taken from it, and the newest of those are the page. Complete records are read only for the page, so that
 * later pages cost little more than the first.
 */
function listByKind(of: { where: string; limit: string; offset: string; types: string }): string {
  return `select ${logColumns} from (
      select found.* from unnest(${of.types}::text[]) as kind(entity_type) cross join lateral (
        select r.entity_type, r.created_at, r.id, r.entity_id from audit_records r
        where r.tenant_id = $1 and r.entity_type = kind.entity_type ${of.where} ${newestFirst} limit ${of.limit}::bigint + ${of.offset}) found
      order by found.created_at desc, found.id desc limit ${of.limit} offset ${of.offset}) page
    join audit_records r on r.tenant_id = $1 and r.entity_type = page.entity_type and r.created_at = page.created_at
      and r.id = page.id and r.entity_id = page.entity_id
    ${newestFirst}`;
}

export class LogStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;
  readonly #counts: LogCountStore;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
    this.#counts = new LogCountStore(tx, tenantId);
  }

  /** Lists records, newest first. */
  async list(filter: LogFilter, slice: Slice, budget: TimeBudget): Promise<LogSlice> {
    const walk = this.#findWalk(filter);
    if (walk === undefined) return { logs: await this.#listInOrder(filter, slice) };
    const { logs, ...rest } = await walk.list(
      filter,
      { limit: slice.offset + slice.limit, after: slice.after },
      budget,
    );
    return { logs: logs.slice(slice.offset), ...rest };
  }

  /** Counts records. `isExact` is false if the count stopped before the end. */
  async count(filter: LogFilter, budget: TimeBudget): Promise<Counted> {
    const walk = this.#findWalk(filter);
    if (walk !== undefined) return walk.count(filter, countMax, budget);
    if (wayTo(filter) === 'index') {
      const total = await this.#counts.countUpTo(filter, countMax);
      return { total, isExact: total < countMax };
    }
    const total = await this.#counts.count(filter, (edge, place) => this.#counts.countWithin(edge, place, filter));
    return { total, isExact: true };
  }

  /** Returns the beginning of the log. A month is a partition, and is dropped as a whole. */
  async findKeptSince(): Promise<Date> {
    const [row] = await this.#tx.query<{ since: Date }>({
      text: `select min(to_date(right(child.relname, 7), 'YYYY_MM'))::timestamp at time zone 'UTC' as since
        from pg_inherits join pg_class child on child.oid = inhrelid
        where inhparent = 'audit_records'::regclass and child.relname ~ '^audit_records_[0-9]{4}_[0-9]{2}$'`,
    });
    return row?.since ?? new Date(0);
  }

  /** Returns undefined if the index contains nothing but matching records. */
  #findWalk(filter: LogFilter): LogWalk | undefined {
    const way = wayTo(filter);
    if (way === 'facets') return new FacetWalkStore(this.#tx, this.#tenantId);
    const isWhole = filter.facets.length + filter.exclusions.length === 0 && (way === 'kinds' || isOnlyIndexed(filter));
    return isWhole ? undefined : new SliceWalkStore(this.#tx, this.#tenantId);
  }

  #listInOrder(filter: LogFilter, slice: Slice): Promise<Log[]> {
    const parameters = new Parameters(this.#tenantId);
    const where = conditionsOf(filter, parameters, slice.after);
    const limit = parameters.add(slice.limit);
    const offset = parameters.add(slice.offset);
    const text =
      wayTo(filter) === 'kinds'
        ? listByKind({ where, limit, offset, types: parameters.add(typesOf(filter)) })
        : `select ${logColumns} from audit_records r where r.tenant_id = $1 ${where} ${newestFirst} limit ${limit} offset ${offset}`;
    return this.#tx.query({ text, values: parameters.values });
  }
}

/**
 * Returns the way to find matching records. Entities and requests have their own indexes. There are too many records
 * without a particular entity to read them one by one.
 */
export function wayTo({ entityId, requestId, facets }: LogFilter): 'index' | 'facets' | 'kinds' {
  const isOfFew = requestId !== undefined || (entityId !== undefined && entityId !== noSingleEntity);
  if (isOfFew) return 'index';
  if (facets.length > 0) return 'facets';
  return entityId === undefined ? 'kinds' : 'index';
}

/**
 * Returns true if one index covers the whole filter. The indexes of entities and of requests contain neither the kind
 * nor each other.
 */
function isOnlyIndexed({ entityType, entityId, requestId }: LogFilter): boolean {
  return entityType === undefined && (entityId === undefined || requestId === undefined);
}
