import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { Parameters } from '../../../platform/database/statement-parameters.ts';
import type { LogFilter } from '../model/log.ts';
import { conditionsOf, kindOf, toSqlTime, typesOf } from '../model/log-sql.ts';
import { type FinestGrain, splitTime } from '../model/time-grains.ts';
import { outcomes } from '../../../platform/audit/record/audit-event.ts';
import { minuteMs } from './facet-minute.ts';

/** The worker may advance between the two reads of its position, at most twice a second. */
const countTriesMax = 3;

/** The table of the counters, their finest interval and their position in the log. */
interface Counters {
  readonly table: 'audit_counts' | 'audit_facets';
  readonly finest: FinestGrain;
  readonly countedTo: string;
}

const bySealer: Counters = {
  table: 'audit_counts',
  finest: 'minute',
  countedTo: `select coalesce((select order_from from audit_seal_stops where tenant_id = $1),
    (select sealed_to from audit_sealing))::text as position`,
};
const byFacet: Counters = {
  table: 'audit_facets',
  finest: 'hour',
  countedTo: 'select kept_to::text as position from audit_facet_position where $1::uuid is not null',
};

/** A range, in milliseconds since 1970, that is too short for the finest counters. */
export interface Edge {
  readonly from: number;
  readonly to: number;
}

type CountEdge = (edge: Edge, position: string) => Promise<number>;

/** The counters of facets include everything before this time. */
export type CountedTo = Date | 'never';

/** A worker that keeps up lags by only a second or two. */
const behindMinutesMin = 2;
/** The longest time from the beginning of a transaction, which is the time of its records, to its first write. */
const transactionMinutesMax = 60;

/** Computes totals from counters: by kind, by time and by one facet. */
export class LogCountStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
  }

  /**
   * Adds up the counters and counts the records that they do not include yet. `countEdge` counts the records of an
   * edge, up to a position.
   */
  async count(filter: LogFilter, countEdge: CountEdge): Promise<number> {
    const counters = filter.facets.length === 0 ? bySealer : byFacet;
    for (let attempt = 1; ; attempt += 1) {
      const position = await this.#positionOf(counters);
      const total =
        (await this.#countKept(filter, counters, (edge) => countEdge(edge, position))) +
        (await this.countFrom(position, filter));
      if (attempt === countTriesMax || (await this.#positionOf(counters)) === position) return total;
    }
  }

  /** Counts records in a range that the counters of facets include completely. */
  async countWhole(filter: LogFilter, countEdge: CountEdge): Promise<number> {
    const position = await this.#positionOf(byFacet);
    return this.#countKept(filter, byFacet, (edge) => countEdge(edge, position));
  }

  async #countKept(filter: LogFilter, counters: Counters, countEdge: (edge: Edge) => Promise<number>): Promise<number> {
    const { sum, edges } = await this.#sumUp(filter, counters);
    let total = sum;
    for (const edge of edges) total += await countEdge(edge);
    return total;
  }

  /** Returns the position of the facet counters in sealing order. */
  facetsKeptTo(): Promise<string> {
    return this.#positionOf(byFacet);
  }

  /**
   * Returns undefined unless the counters of facets are well behind the log of this tenant. Otherwise returns the time
   * before which they include everything. An uncounted record was written after every counted one, but its transaction
   * may have begun earlier.
   */
  async findBehind(filter: LogFilter): Promise<CountedTo | undefined> {
    const parameters = new Parameters(this.#tenantId);
    const types = parameters.add(typesOf(filter));
    const [row] = await this.#tx.query<{ newest: Date | null; counted: Date | null }>({
      text: `select (select max(r.created_at) from unnest(${types}::text[]) as kind(entity_type) cross join lateral (
            select r.created_at from audit_records r where r.tenant_id = $1 and r.entity_type = kind.entity_type
            order by r.created_at desc limit 1) r) as newest,
          (select max(f.bucket + make_interval(mins => floor(log(2, f.minutes))::int))
            from unnest(${types}::text[]) as kind(entity_type), unnest(${parameters.add(outcomes)}::text[]) as outcome(value)
            cross join lateral (select f.bucket, f.minutes from audit_facets f where f.tenant_id = $1 and f.field = 'outcome'
              and f.value = outcome.value and f.grain = 'hour' and f.entity_type = kind.entity_type
              order by f.bucket desc limit 1) f) as counted`,
      values: parameters.values,
    });
    const { newest = null, counted = null } = row ?? {};
    if (newest === null) return undefined;
    if (counted === null) return 'never';
    const behindMinutes = (newest.getTime() - counted.getTime()) / minuteMs;
    return behindMinutes > behindMinutesMin + 1
      ? new Date(counted.getTime() - transactionMinutesMax * minuteMs)
      : undefined;
  }

  /** Counts records up to a limit. */
  countUpTo(filter: LogFilter, limit: number): Promise<number> {
    const parameters = new Parameters(this.#tenantId);
    const where = `${kindOf(filter, parameters)} ${conditionsOf(filter, parameters)}`;
    return this.#number(
      `select count(*)::float8 as n from (select 1 from audit_records r where r.tenant_id = $1 ${where} limit ${limit}) counted`,
      parameters,
    );
  }

  /** Counts records one by one within a range, up to a position in sealing order. */
  countWithin({ from, to }: Edge, position: string, filter: LogFilter): Promise<number> {
    const bounds = { ...filter, from: new Date(from), to: new Date(to) };
    return this.#countRecords(bounds, (parameters) => `and r.sealing_order < ${parameters.add(position)}`);
  }

  async #sumUp(filter: LogFilter, { table, finest }: Counters): Promise<{ sum: number; edges: readonly Edge[] }> {
    const from = filter.from?.getTime() ?? Number.NEGATIVE_INFINITY;
    const to = filter.to?.getTime() ?? Number.POSITIVE_INFINITY;
    const segments = splitTime(from, to, finest);
    const counted = segments.filter(({ grain }) => grain !== 'none');
    const parameters = new Parameters(this.#tenantId);
    const types = parameters.add(typesOf(filter));
    const facet = filter.facets
      .map(({ field, value }) => `and c.field = ${parameters.add(field)} and c.value = ${parameters.add(value)}`)
      .join(' ');
    // Each range has its own subquery. If they were joined to a list of ranges, PostgreSQL would read all counters of a
    // grain.
    const sums = counted.map(
      ({ grain, from: since, to: until }) => `coalesce((select sum(c.records) from ${table} c
        where c.tenant_id = $1 ${facet} and c.grain = '${grain}' and c.entity_type = any(${types})
          and c.bucket >= ${parameters.add(toSqlTime(since))} and c.bucket < ${parameters.add(toSqlTime(until))}), 0)`,
    );
    const sum = sums.length === 0 ? 0 : await this.#number(`select (${sums.join(' + ')})::float8 as n`, parameters);
    return { sum, edges: segments.filter(({ grain }) => grain === 'none') };
  }

  /** Counts records one by one, starting at a position in sealing order. */
  countFrom(position: string, filter: LogFilter): Promise<number> {
    return this.#countRecords(filter, (parameters) => `and r.sealing_order >= ${parameters.add(position)}`);
  }

  #countRecords(filter: LogFilter, toCondition: (parameters: Parameters) => string): Promise<number> {
    const parameters = new Parameters(this.#tenantId);
    const where = `${toCondition(parameters)} ${conditionsOf(filter, parameters)}`;
    return this.#number(
      `select count(*)::float8 as n from audit_records r
        where r.tenant_id = $1 and r.entity_type = any(${parameters.add(typesOf(filter))}) ${where}`,
      parameters,
    );
  }

  async #positionOf({ countedTo }: Counters): Promise<string> {
    const [row] = await this.#tx.query<{ position: string }>({ text: countedTo, values: [this.#tenantId] });
    return row?.position ?? '0';
  }

  async #number(text: string, { values }: Parameters): Promise<number> {
    const [row] = await this.#tx.query<{ n: number }>({ text, values });
    return row?.n ?? 0;
  }
}
