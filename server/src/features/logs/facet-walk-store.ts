import type { TenantId } from '../../core/identity/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { Parameters } from '../../platform/database/statement-parameters.ts';
import {
  beforeFirstHour,
  endHour,
  type FacetHour,
  type FacetPlace,
  minuteMs,
  takeExpected,
  toPlaces,
} from './facet-place.ts';
import type { Facet, Log, LogCursor, LogFilter, LogSlice } from './log.ts';
import { LogCountStore } from './log-count-store.ts';
import { conditionsOf, logColumns, newestFirst, toSqlTime, typesOf } from './log-sql.ts';

/** How many hours of each kind one statement takes; later statements take more, since the first have held too little. */
const hoursFirst = 24;
const hoursLater = 240;
/** Where several filters each occur but never together, a search stops here and says where to go on. */
const listPlacesMax = 5_000;
/** A total is worth less than the page it stands beside. */
const countPlacesMax = 2_000;
const lowestId = '00000000-0000-0000-0000-000000000000';

interface Wanted {
  readonly limit: number;
  readonly after: LogCursor | undefined;
}

interface Counted {
  readonly total: number;
  readonly isExact: boolean;
}

/**
 * Finds records by the counters of their facets: the minutes in which all values occur, newest first, and in them the records
 * by their primary key. What is too new to be counted is read as it is.
 */
export class FacetWalkStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;
  readonly #counts: LogCountStore;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
    this.#counts = new LogCountStore(tx, tenantId);
  }

  /** The newest records, up to `limit`. */
  async list(filter: LogFilter, { limit, after }: Wanted): Promise<LogSlice> {
    // Asked first: what is counted since then is found twice, and nothing is missed.
    const keptTo = await this.#counts.facetsKeptTo();
    const fresh = await this.#listFrom(keptTo, filter, { limit, after });
    const found: Log[] = [];
    let seen = 0;
    for await (const places of this.#places(filter, { limit, after })) {
      found.push(...(await this.#listIn(places, filter, { limit: limit - found.length, after })));
      if (found.length >= limit) return { logs: mergeNewest(found, fresh).slice(0, limit) };
      seen += places.length;
      if (seen < listPlacesMax) continue;
      const end = new Date(places.at(-1)?.minute ?? 0);
      const logs = mergeNewest(found, fresh).filter(({ createdAt }) => createdAt >= end);
      return { logs: logs.slice(0, limit), stoppedAt: { createdAt: end, id: lowestId } };
    }
    return { logs: mergeNewest(found, fresh).slice(0, limit) };
  }

  /** How many there are: of one facet as the counters say, of several up to `limit` and to what may be looked at for it. */
  async count(filter: LogFilter, limit: number): Promise<Counted> {
    const isCounted = filter.facets.length === 1 && filter.entityId === undefined;
    if (!isCounted) {
      const keptTo = await this.#counts.facetsKeptTo();
      const fresh = await this.#counts.countFrom(keptTo, filter);
      const { total, isExact } = await this.#countOneByOne(filter, keptTo, limit);
      return { total: Math.min(total + fresh, limit), isExact: isExact && total + fresh < limit };
    }
    let isExact = true;
    const total = await this.#counts.count(filter, async ({ from, to }, keptTo) => {
      const edge = await this.#countOneByOne({ ...filter, from: new Date(from), to: new Date(to) }, keptTo, limit);
      isExact &&= edge.isExact;
      return edge.total;
    });
    return { total, isExact };
  }

  async #countOneByOne(filter: LogFilter, keptTo: string, limit: number): Promise<Counted> {
    let total = 0;
    let seen = 0;
    for await (const places of this.#places(filter, { limit, after: undefined })) {
      total += await this.#countIn(places, filter, { keptTo, limit });
      seen += places.length;
      if (total >= limit || seen >= countPlacesMax) return { total: Math.min(total, limit), isExact: false };
    }
    return { total, isExact: true };
  }

  /** The places in which all facets occur, from the newest on: as many at a time as are expected to hold enough. */
  async *#places(filter: LogFilter, { limit, after }: Wanted): AsyncGenerator<readonly FacetPlace[]> {
    const [leading, ...others] = await this.#rarestFirst(filter);
    if (leading === undefined) return;
    let before = endHour(filter, after);
    let wanted = limit;
    for (let hourCount = hoursFirst; ; hourCount = hoursLater) {
      const hours = await this.#listHours({ filter, leading, others, before }, hourCount);
      const last = hours.at(-1);
      if (last === undefined) return;
      before = last.hour;
      for (let rest: readonly FacetPlace[] = toPlaces(hours, filter, after); rest.length > 0; ) {
        const places = takeExpected(rest, wanted);
        yield places;
        rest = rest.slice(places.length);
        // Where they held less than expected, fewer and longer statements follow.
        wanted *= 2;
      }
    }
  }

  /** The facet with the fewest records leads: its hours are all that has to be looked at. */
  async #rarestFirst(filter: LogFilter): Promise<readonly Facet[]> {
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

  /** Whole hours, so that one which is cut off here is not half forgotten. */
  #listHours(
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

  /** Each place is read from its newest record on. */
  #listIn(places: readonly FacetPlace[], filter: LogFilter, { limit, after }: Wanted): Promise<Log[]> {
    const parameters = new Parameters(this.#tenantId);
    const from = fromPlaces(places, parameters);
    const where = conditionsOf(filter, parameters, after);
    const count = parameters.add(limit);
    return this.#tx.query({
      text: `select ${logColumns} from ${from} cross join lateral (
          select r.* from audit_records r where ${atPlace} ${where} ${newestFirst} limit ${count}) r
        ${newestFirst} limit ${count}`,
      values: parameters.values,
    });
  }

  async #countIn(
    places: readonly FacetPlace[],
    filter: LogFilter,
    { keptTo, limit }: { keptTo: string; limit: number },
  ): Promise<number> {
    const parameters = new Parameters(this.#tenantId);
    const from = fromPlaces(places, parameters);
    const where = `and r.sealing_order < ${parameters.add(keptTo)} ${conditionsOf(filter, parameters)}`;
    // The limit within keeps PostgreSQL from joining the places with the whole log.
    const count = parameters.add(limit);
    const [row] = await this.#tx.query<{ n: number }>({
      text: `select count(*)::float8 as n from (select 1 from ${from} cross join lateral (
          select 1 from audit_records r where ${atPlace} ${where} limit ${count}) r limit ${count}) counted`,
      values: parameters.values,
    });
    return row?.n ?? 0;
  }

  /** What the counters do not hold yet. */
  #listFrom(keptTo: string, filter: LogFilter, { limit, after }: Wanted): Promise<Log[]> {
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

/** Both ends as values: under row-level security PostgreSQL uses no index for a bound that it would have to compute. */
function fromPlaces(places: readonly FacetPlace[], parameters: Parameters): string {
  const kinds = parameters.add(places.map(({ entityType }) => entityType));
  const starts = parameters.add(places.map(({ minute }) => new Date(minute).toISOString()));
  const ends = parameters.add(places.map(({ minute }) => new Date(minute + minuteMs).toISOString()));
  return `unnest(${kinds}::text[], ${starts}::timestamptz[], ${ends}::timestamptz[]) as place(entity_type, since, until)`;
}

const atPlace = `r.tenant_id = $1 and r.entity_type = place.entity_type
  and r.created_at >= place.since and r.created_at < place.until`;

function mergeNewest(counted: readonly Log[], fresh: readonly Log[]): Log[] {
  const byId = new Map([...counted, ...fresh].map((log) => [`${log.id} ${log.entityId}`, log]));
  return [...byId.values()].toSorted(
    (a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0),
  );
}
