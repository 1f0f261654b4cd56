import type { TenantId } from '../../core/identity/ids.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { Facet, Log, LogCursor, LogFilter, LogSlice } from './log.ts';
import { LogCountStore } from './log-count-store.ts';
import { conditionsOf, logColumns, newestFirst, Parameters, toSqlTime, typesOf } from './log-statement.ts';

/** A kind of entity in a minute in which the value occurs. */
interface Place {
  readonly entityType: string;
  readonly minute: Date;
  readonly records: number;
  /** The values of the other facets occur here too, though perhaps not in the same record. */
  readonly isShared: boolean;
}

/** How many places one statement looks at; later statements look at more, since the first have found too little. */
const placesFirst = 50;
const placesLater = 500;
/** Where several filters each occur but never together, a search stops here and says where to go on. */
const listPlacesMax = 5_000;
/** A total is worth less than the page it stands beside. */
const countPlacesMax = 2_000;
const lowestId = '00000000-0000-0000-0000-000000000000';
const minuteMs = 60_000;

/**
 * Finds records by the counters of their facets: the minutes in which a value occurs, newest first, and in them the records
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
  async list(filter: LogFilter, { limit, after }: { limit: number; after: LogCursor | undefined }): Promise<LogSlice> {
    // Asked first: what is counted since then is found twice, and nothing is missed.
    const keptTo = await this.#counts.facetsKeptTo();
    const fresh = await this.#listFrom(keptTo, filter, { limit, after });
    const found: Log[] = [];
    for await (const { places, end, seen } of this.#batches(filter, { limit, after })) {
      // Of one facet the counters say which minutes hold enough. The rest is for when they do not, or the page cuts a minute.
      const enough = filter.facets.length > 1 ? places : takeEnough(places, limit);
      for (const part of [enough, places.slice(enough.length)]) {
        if (found.length >= limit || part.length === 0) break;
        found.push(...(await this.#listIn(part, filter, { limit: limit - found.length, after })));
      }
      if (found.length >= limit) break;
      if (seen < listPlacesMax) continue;
      const logs = mergeNewest(found, fresh).filter(({ createdAt }) => createdAt >= end);
      return { logs, stoppedAt: { createdAt: end, id: lowestId } };
    }
    return { logs: mergeNewest(found, fresh).slice(0, limit) };
  }

  /** How many there are, up to `limit` and to what may be looked at for it. */
  async count(filter: LogFilter, limit: number): Promise<{ readonly total: number; readonly isExact: boolean }> {
    const keptTo = await this.#counts.facetsKeptTo();
    let total = await this.#counts.countFrom(keptTo, filter);
    for await (const { places, seen } of this.#batches(filter, { limit, after: undefined })) {
      total += await this.#countIn(places, filter, { keptTo, limit });
      if (total >= limit || seen >= countPlacesMax) return { total: Math.min(total, limit), isExact: false };
    }
    return { total, isExact: true };
  }

  /** The places of the leading facet from the newest on; `end` is where the next batch begins, `seen` how many there were. */
  async *#batches(filter: LogFilter, { limit, after }: { limit: number; after: LogCursor | undefined }) {
    const [leading, ...others] = await this.#rarestFirst(filter);
    if (leading === undefined) return;
    let before = latestMinute(filter, after);
    for (let seen = 0; ; ) {
      const size = seen === 0 ? Math.min(limit, placesFirst) : placesLater;
      const places = await this.#listPlaces({ filter, leading, others, before }, size);
      const last = places.at(-1);
      if (last === undefined) return;
      seen += places.length;
      before = last.minute;
      yield { places, end: last.minute, seen };
    }
  }

  /** The facet with the fewest records leads: its minutes are all that has to be looked at. */
  async #rarestFirst(filter: LogFilter): Promise<readonly Facet[]> {
    if (filter.facets.length === 1) return filter.facets;
    const parameters = new Parameters(this.#tenantId);
    const types = parameters.add(typesOf(filter));
    const sums = filter.facets.map(
      ({ field, value }) => `(select coalesce(sum(f.records), 0)::float8 from audit_facets f where f.tenant_id = $1
        and f.field = ${parameters.add(field)} and f.value = ${parameters.add(value)} and f.grain = 'day' and f.entity_type = any(${types}))`,
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

  /** Whole minutes, so that one which is cut off here is not half forgotten. */
  #listPlaces(
    of: { filter: LogFilter; leading: Facet; others: readonly Facet[]; before: Date | 'any' },
    limit: number,
  ): Promise<Place[]> {
    const parameters = new Parameters(this.#tenantId);
    const equal = (table: string, { field, value }: Facet) =>
      `${table}.tenant_id = $1 and ${table}.field = ${parameters.add(field)} and ${table}.value = ${parameters.add(value)} and ${table}.grain = 'minute'`;
    const from = of.filter.from === undefined ? '' : `and f.bucket > ${parameters.add(minuteBefore(of.filter.from))}`;
    const before = of.before === 'any' ? '' : `and f.bucket < ${parameters.add(toSqlTime(of.before.getTime()))}`;
    const leading = `${equal('f', of.leading)} and f.entity_type = kind.entity_type ${from} ${before}`;
    const shared = of.others.map(
      (other) => `and exists (select from audit_facets o where ${equal('o', other)}
        and o.entity_type = place.entity_type and o.bucket = place.bucket)`,
    );
    const count = parameters.add(limit);
    return this.#tx.query({
      text: `select place.entity_type as "entityType", place.bucket as minute, place.records::float8 as records,
          true ${shared.join(' ')} as "isShared"
        from unnest(${parameters.add(typesOf(of.filter))}::text[]) as kind(entity_type) cross join lateral (
          select f.entity_type, f.bucket, f.records from audit_facets f
          where ${leading} order by f.bucket desc limit ${count}) place
        order by place.bucket desc fetch first ${count} rows with ties`,
      values: parameters.values,
    });
  }

  /** Each place is a range of the primary key, read from its newest record on. */
  async #listIn(
    places: readonly Place[],
    filter: LogFilter,
    { limit, after }: { limit: number; after: LogCursor | undefined },
  ): Promise<Log[]> {
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
    places: readonly Place[],
    filter: LogFilter,
    { keptTo, limit }: { keptTo: string; limit: number },
  ): Promise<number> {
    const parameters = new Parameters(this.#tenantId);
    const from = fromPlaces(places, parameters);
    const where = `and r.sealing_order < ${parameters.add(keptTo)} ${conditionsOf(filter, parameters)}`;
    const [row] = await this.#tx.query<{ n: number }>({
      text: `select count(*)::float8 as n from (
        select 1 from ${from} join audit_records r on ${atPlace} where true ${where} limit ${parameters.add(limit)}) counted`,
      values: parameters.values,
    });
    return row?.n ?? 0;
  }

  #listFrom(
    keptTo: string,
    filter: LogFilter,
    { limit, after }: { limit: number; after: LogCursor | undefined },
  ): Promise<Log[]> {
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

function fromPlaces(places: readonly Place[], parameters: Parameters): string {
  const shared = places.filter(({ isShared }) => isShared);
  const kinds = parameters.add(shared.map(({ entityType }) => entityType));
  const minutes = parameters.add(shared.map(({ minute }) => minute.toISOString()));
  return `unnest(${kinds}::text[], ${minutes}::timestamptz[]) as place(entity_type, minute)`;
}

const atPlace = `r.tenant_id = $1 and r.entity_type = place.entity_type
  and r.created_at >= place.minute and r.created_at < place.minute + interval '1 minute'`;

/** The minute after the last one that can hold something. */
function latestMinute({ to }: LogFilter, after: LogCursor | undefined): Date | 'any' {
  const ends = [...(to === undefined ? [] : [to.getTime()]), ...(after === undefined ? [] : [after.createdAt.getTime() + 1])];
  return ends.length === 0 ? 'any' : new Date(Math.ceil(Math.min(...ends) / minuteMs) * minuteMs);
}

function minuteBefore(from: Date): string {
  return toSqlTime(from.getTime() - minuteMs);
}

/** As many places as hold `needed` records, whole minutes only; the first minute counts for nothing. */
function takeEnough(places: readonly Place[], needed: number): readonly Place[] {
  const newest = places[0]?.minute.getTime();
  let records = 0;
  const end = places.findIndex(({ minute }, index) => {
    const isOtherMinute = places[index - 1]?.minute.getTime() !== minute.getTime();
    if (isOtherMinute && records >= needed) return true;
    if (minute.getTime() !== newest) records += places[index]?.records ?? 0;
    return false;
  });
  return end === -1 ? places : places.slice(0, end);
}

function mergeNewest(counted: readonly Log[], fresh: readonly Log[]): Log[] {
  const byId = new Map([...counted, ...fresh].map((log) => [`${log.id} ${log.entityId}`, log]));
  return [...byId.values()].toSorted(
    (a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0),
  );
}
