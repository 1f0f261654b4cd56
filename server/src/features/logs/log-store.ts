import type { TenantId } from '../../core/identity/ids.ts';
import { noSingleEntity } from '../../platform/audit/audit-event.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { Parameters } from '../../platform/database/statement-parameters.ts';
import type { TimeBudget } from '../../platform/waiting/time-budget.ts';
import { FacetWalkStore } from './facet-walk-store.ts';
import type { Log, LogCursor, LogFilter, LogSlice } from './log.ts';
import { LogCountStore } from './log-count-store.ts';
import type { LogSource, PlacedSlice } from './log-source.ts';
import { conditionsOf, logColumns, newestFirst, typesOf } from './log-sql.ts';
import type { Counted, LogWalk } from './log-walk.ts';
import { SliceWalkStore } from './slice-walk-store.ts';

/** What counters cannot tell is counted up to here; more than that nobody pages through. */
export const countMax = 10_000;

/**
 * One index serves every kind of entity: the newest of each kind are taken from it, and the newest of those are the page.
 * Only for them the rest of the record is read, so that a late page costs little more than the first.
 */
function listByKind(of: KindSlice): string {
  return `select ${logColumns} from (${newestByKind(of)}) page
    join audit_records r on r.tenant_id = $1 and r.entity_type = page.entity_type and r.created_at = page.created_at
      and r.id = page.id and r.entity_id = page.entity_id
    ${newestFirst}`;
}

interface KindSlice {
  readonly where: string;
  readonly limit: string;
  readonly offset: string;
  readonly types: string;
}

function newestByKind(of: KindSlice): string {
  return `select found.* from unnest(${of.types}::text[]) as kind(entity_type) cross join lateral (
        select r.entity_type, r.created_at, r.id, r.entity_id from audit_records r
        where r.tenant_id = $1 and r.entity_type = kind.entity_type ${of.where} ${newestFirst} limit ${of.limit}::bigint + ${of.offset}) found
      order by found.created_at desc, found.id desc limit ${of.limit} offset ${of.offset}`;
}

/** What one database holds of the log of a tenant. */
export class LogStore implements LogSource {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;
  readonly #counts: LogCountStore;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
    this.#counts = new LogCountStore(tx, tenantId);
  }

  async list(filter: LogFilter, slice: PlacedSlice, budget: TimeBudget): Promise<LogSlice> {
    const walk = this.#findWalk(filter);
    if (walk === undefined) return { logs: await this.#listInOrder(filter, slice) };
    const { logs, ...rest } = await walk.list(
      filter,
      { limit: slice.offset + slice.limit, after: slice.after },
      budget,
    );
    return { logs: logs.slice(slice.offset), ...rest };
  }

  /** Where the newest records lie, for finding the beginning of a late page. Only where an index leads to nothing but what fits. */
  listPlaces(filter: LogFilter, count: number): Promise<LogCursor[]> {
    const parameters = new Parameters(this.#tenantId);
    const where = conditionsOf(filter, parameters);
    const limit = parameters.add(count);
    const newest =
      wayTo(filter) === 'kinds'
        ? newestByKind({ where, limit, offset: '0', types: parameters.add(typesOf(filter)) })
        : `select r.created_at, r.id from audit_records r where r.tenant_id = $1 ${where} ${newestFirst} limit ${limit}`;
    return this.#tx.query({
      text: `select created_at as "createdAt", id from (${newest}) newest`,
      values: parameters.values,
    });
  }

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

  /** A month is a partition, and is dropped whole. */
  async findKeptSince(): Promise<Date> {
    const [row] = await this.#tx.query<{ since: Date }>({
      text: `select min(to_date(right(child.relname, 7), 'YYYY_MM'))::timestamp at time zone 'UTC' as since
        from pg_inherits join pg_class child on child.oid = inhrelid
        where inhparent = 'audit_records'::regclass and child.relname ~ '^audit_records_[0-9]{4}_[0-9]{2}$'`,
    });
    return row?.since ?? new Date(0);
  }

  /** Whether there were records of a month before this time: checkpoints stay when a month is dropped. */
  async hasSealedBefore(time: Date): Promise<boolean> {
    const rows = await this.#tx.query({
      text: `select from (select c.month from audit_checkpoints c where c.tenant_id = $1 order by c.number limit 1) first
        where first.month::timestamp at time zone 'UTC' < $2::timestamptz`,
      values: [this.#tenantId, time],
    });
    return rows.length > 0;
  }

  /** Undefined where the index leads to nothing but what fits. */
  #findWalk(filter: LogFilter): LogWalk | undefined {
    if (isInOrder(filter)) return undefined;
    const Walk = wayTo(filter) === 'facets' ? FacetWalkStore : SliceWalkStore;
    return new Walk(this.#tx, this.#tenantId);
  }

  #listInOrder(filter: LogFilter, slice: PlacedSlice): Promise<Log[]> {
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

/** An entity or a request has an index of its own. Records about no entity in particular are too many to go through. */
export function wayTo({ entityId, requestId, facets }: LogFilter): 'index' | 'facets' | 'kinds' {
  const isOfFew = requestId !== undefined || (entityId !== undefined && entityId !== noSingleEntity);
  if (isOfFew) return 'index';
  if (facets.length > 0) return 'facets';
  return entityId === undefined ? 'kinds' : 'index';
}

/** Whether an index leads to nothing but what fits, newest first. */
export function isInOrder(filter: LogFilter): boolean {
  return filter.facets.length === 0 && (wayTo(filter) === 'kinds' || isOnlyIndexed(filter));
}

/** Neither of the two indexes knows of the kind, nor of the other. */
function isOnlyIndexed({ entityType, entityId, requestId }: LogFilter): boolean {
  return entityType === undefined && (entityId === undefined || requestId === undefined);
}
