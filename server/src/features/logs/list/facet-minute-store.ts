import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { Parameters } from '../../../platform/database/statement-parameters.ts';
import { beforeFirstHour, type FacetHour, type FacetMinute, minuteMs } from './facet-minute.ts';
import type { Facet, Log, LogFilter } from '../model/log.ts';
import { conditionsOf, following, logColumns, newestFirst, toSqlTime, typesOf } from '../model/log-sql.ts';
import type { Wanted } from '../model/log-walk.ts';

/** Finds the minutes of the log in which facets occur together, and their records. */
export class FacetMinuteStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
  }

  /** Returns the facets ordered by their number of records. It is enough to read the hours of the first one. */
  async rarestFirst(filter: LogFilter): Promise<readonly Facet[]> {
    if (filter.facets.length === 1) return filter.facets;
    const parameters = new Parameters(this.#tenantId);
    const types = parameters.add(typesOf(filter));
    const sums = filter.facets.map(
      (facet) => `(select coalesce(sum(f.records), 0)::float8 from audit_facets f
        where ${has('f', facet, parameters)} and f.grain = 'day' and f.entity_type = any(${types}))`,
    );
    const [row] = await this.#tx.query<{ sizes: number[] }>({
      text: `select array[${sums.join(', ')}] as sizes`,
      values: parameters.values,
    });
    return filter.facets
      .map((facet, index) => ({ facet, size: row?.sizes[index] ?? 0 }))
      .toSorted((a, b) => a.size - b.size)
      .map(({ facet }) => facet);
  }

  /** Lists the newest hours in which the facets occur. The last hour is always complete, with all of its kinds. */
  listHours(
    of: { filter: LogFilter; leading: Facet; others: readonly Facet[]; before: Date | undefined },
    limit: number,
  ): Promise<FacetHour[]> {
    const parameters = new Parameters(this.#tenantId);
    const first = beforeFirstHour(of.filter);
    const from = first === undefined ? '' : `and f.bucket > ${parameters.add(toSqlTime(first))}`;
    const before = of.before === undefined ? '' : `and f.bucket < ${parameters.add(toSqlTime(of.before.getTime()))}`;
    const shared = of.others.map(
      (
        other,
      ) => ` & coalesce((select o.minutes from audit_facets o where ${has('o', other, parameters)} and o.grain = 'hour'
        and o.entity_type = lead.entity_type and o.bucket = lead.bucket), 0)`,
    );
    const count = parameters.add(limit);
    return this.#tx.query({
      text: `select lead.entity_type as "entityType", lead.bucket as hour, lead.records::float8 as records,
          (lead.minutes${shared.join('')})::text as minutes
        from unnest(${parameters.add(typesOf(of.filter))}::text[]) as kind(entity_type) cross join lateral (
          select f.entity_type, f.bucket, f.records, f.minutes from audit_facets f
          where ${has('f', of.leading, parameters)} and f.grain = 'hour' and f.entity_type = kind.entity_type ${from} ${before}
          order by f.bucket desc limit ${count}) lead
        order by lead.bucket desc fetch first ${count} rows with ties`,
      values: parameters.values,
    });
  }

  /** Lists records, reading each minute from its newest record backwards. */
  listIn(facetMinutes: readonly FacetMinute[], filter: LogFilter, { limit, after }: Wanted): Promise<Log[]> {
    const parameters = new Parameters(this.#tenantId);
    const from = fromMinutes(facetMinutes, parameters);
    const where = `${conditionsOf(filter, parameters)} ${following(after, parameters)}`;
    const count = parameters.add(limit);
    return this.#tx.query({
      text: `select ${logColumns} from ${from} cross join lateral (
          select r.* from audit_records r where ${inMinute} ${where} ${newestFirst} limit ${count}) r
        ${newestFirst} limit ${count}`,
      values: parameters.values,
    });
  }

  async countIn(
    facetMinutes: readonly FacetMinute[],
    filter: LogFilter,
    { keptTo, limit }: { keptTo: string; limit: number },
  ): Promise<number> {
    const parameters = new Parameters(this.#tenantId);
    const from = fromMinutes(facetMinutes, parameters);
    const where = `and r.sealing_order < ${parameters.add(keptTo)} ${conditionsOf(filter, parameters)}`;
    // The inner limit keeps PostgreSQL from joining the facetMinutes with the whole log.
    const count = parameters.add(limit);
    const [row] = await this.#tx.query<{ n: number }>({
      text: `select count(*)::float8 as n from (select 1 from ${from} cross join lateral (
          select 1 from audit_records r where ${inMinute} ${where} limit ${count}) r limit ${count}) counted`,
      values: parameters.values,
    });
    return row?.n ?? 0;
  }

  /** Lists the records that the counters do not include yet. */
  listFrom(keptTo: string, filter: LogFilter, { limit, after }: Wanted): Promise<Log[]> {
    const parameters = new Parameters(this.#tenantId);
    const types = parameters.add(typesOf(filter));
    const where = `and r.sealing_order >= ${parameters.add(keptTo)} ${conditionsOf(filter, parameters, after)}`;
    return this.#tx.query({
      text: `select ${logColumns} from audit_records r where r.tenant_id = $1 and r.entity_type = any(${types}) ${where}
        ${newestFirst} limit ${parameters.add(limit)}`,
      values: parameters.values,
    });
  }
}

function has(table: string, { field, value }: Facet, parameters: Parameters): string {
  return `${table}.tenant_id = $1 and ${table}.field = ${parameters.add(field)} and ${table}.value = ${parameters.add(value)}`;
}

/**
 * Returns the facetMinutes as a table. Both bounds are passed as values, because under row-level security PostgreSQL
 * does not use an index for a computed bound.
 */
function fromMinutes(facetMinutes: readonly FacetMinute[], parameters: Parameters): string {
  const kinds = parameters.add(facetMinutes.map(({ entityType }) => entityType));
  const starts = parameters.add(facetMinutes.map(({ minute }) => new Date(minute).toISOString()));
  const ends = parameters.add(facetMinutes.map(({ minute }) => new Date(minute + minuteMs).toISOString()));
  return `unnest(${kinds}::text[], ${starts}::timestamptz[], ${ends}::timestamptz[]) as minute(entity_type, since, until)`;
}

const inMinute = `r.tenant_id = $1 and r.entity_type = minute.entity_type
  and r.created_at >= minute.since and r.created_at < minute.until`;
