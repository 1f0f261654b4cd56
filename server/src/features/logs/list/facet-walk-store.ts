import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import type { TimeBudget } from '../../../platform/waiting/time-budget.ts';
import { endHour, type FacetPlace, takeExpected, toPlaces } from './facet-place.ts';
import { FacetPlaceStore } from './facet-place-store.ts';
import type { Log, LogFilter, LogSlice } from '../model/log.ts';
import { type CountedTo, type Edge, LogCountStore } from './log-count-store.ts';
import { cursorAt } from '../model/log-cursor.ts';
import type { Counted, LogWalk, Wanted } from '../model/log-walk.ts';
import { SliceWalkStore } from './slice-walk-store.ts';
import { StepPace } from '../model/step-pace.ts';

/** How many hours of each kind one statement takes; later statements take more, since the first have held too little. */
const hoursFirst = 24;
const hoursLater = 240;
/** How many places one statement looks at. */
const placesPerStep = { first: 32, max: 500 };
/** Where several filters each occur but never together, a search stops here at the latest and says where to go on. */
const listPlacesMax = 5_000;
/** A total is worth less than the page it stands beside. */
const countPlacesMax = 2_000;

/** Places to look at, and the time back to which everything has been looked at after them. */
interface Step {
  readonly places: readonly FacetPlace[];
  readonly end: Date;
}

/**
 * Finds records by the counters of their facets: the minutes in which all values occur, newest first, and in them the records
 * by their primary key. What is too new to be counted is read as it is.
 */
export class FacetWalkStore implements LogWalk {
  readonly #places: FacetPlaceStore;
  readonly #counts: LogCountStore;
  readonly #slices: SliceWalkStore;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#places = new FacetPlaceStore(tx, tenantId);
    this.#counts = new LogCountStore(tx, tenantId);
    this.#slices = new SliceWalkStore(tx, tenantId);
  }

  /** The newest records, up to `limit`. */
  async list(filter: LogFilter, wanted: Wanted, budget: TimeBudget): Promise<LogSlice> {
    const countedTo = await this.#counts.findBehind(filter);
    if (countedTo === undefined) return this.#listCounted(filter, wanted, budget);
    // The worker is behind: what it has not come to is looked at as it is, and only what lies before by the counters.
    const newer = await this.#slices.list(since(filter, countedTo), wanted, budget);
    const limit = wanted.limit - newer.logs.length;
    if (newer.stoppedAt !== undefined || limit <= 0 || countedTo === 'never') return newer;
    const older = await this.#walk(until(filter, countedTo), { ...wanted, limit }, [], budget);
    return { ...older, logs: [...newer.logs, ...older.logs] };
  }

  /** How many there are: of one facet as the counters say, of several up to `limit` and to what may be looked at for it. */
  async count(filter: LogFilter, limit: number, budget: TimeBudget): Promise<Counted> {
    const countedTo = await this.#counts.findBehind(filter);
    if (countedTo === undefined) return this.#countCounted(filter, limit, budget);
    const newer = await this.#slices.count(since(filter, countedTo), limit, budget);
    if (!newer.isExact || countedTo === 'never') return newer;
    const older = await this.#countKept(until(filter, countedTo), limit, budget);
    return { total: newer.total + older.total, isExact: older.isExact };
  }

  async #listCounted(filter: LogFilter, wanted: Wanted, budget: TimeBudget): Promise<LogSlice> {
    // Asked first: what is counted since then is found twice, and nothing is missed.
    const keptTo = await this.#counts.facetsKeptTo();
    const fresh = await this.#places.listFrom(keptTo, filter, wanted);
    return this.#walk(filter, wanted, fresh, budget);
  }

  async #walk(
    filter: LogFilter,
    { limit, after }: Wanted,
    fresh: readonly Log[],
    budget: TimeBudget,
  ): Promise<LogSlice> {
    const found: Log[] = [];
    let seen = 0;
    for await (const { places, end } of this.#steps(filter, { limit, after }, budget)) {
      if (places.length > 0)
        found.push(...(await this.#places.listIn(places, filter, { limit: limit - found.length, after })));
      if (found.length >= limit) break;
      seen += places.length;
      if (seen < listPlacesMax && !budget.isSpent) continue;
      const logs = mergeNewest(found, fresh).filter(({ createdAt }) => createdAt >= end);
      return { logs: logs.slice(0, limit), stoppedAt: cursorAt(end) };
    }
    return { logs: mergeNewest(found, fresh).slice(0, limit) };
  }

  /** With what is too new to be counted. */
  async #countCounted(filter: LogFilter, limit: number, budget: TimeBudget): Promise<Counted> {
    if (isSummedUp(filter))
      return this.#sumUp((countEdge) => this.#counts.count(filter, countEdge), filter, limit, budget);
    const keptTo = await this.#counts.facetsKeptTo();
    const fresh = await this.#counts.countFrom(keptTo, filter);
    const { total, isExact } = await this.#countOneByOne(filter, { keptTo, limit }, budget);
    return { total: Math.min(total + fresh, limit), isExact: isExact && total + fresh < limit };
  }

  /** Of a time that is counted whole. */
  async #countKept(filter: LogFilter, limit: number, budget: TimeBudget): Promise<Counted> {
    if (isSummedUp(filter))
      return this.#sumUp((countEdge) => this.#counts.countWhole(filter, countEdge), filter, limit, budget);
    return this.#countOneByOne(filter, { keptTo: await this.#counts.facetsKeptTo(), limit }, budget);
  }

  async #sumUp(
    count: (countEdge: (edge: Edge, keptTo: string) => Promise<number>) => Promise<number>,
    filter: LogFilter,
    limit: number,
    budget: TimeBudget,
  ): Promise<Counted> {
    let isExact = true;
    const total = await count(async ({ from, to }, keptTo) => {
      const within = { ...filter, from: new Date(from), to: new Date(to) };
      const edge = await this.#countOneByOne(within, { keptTo, limit }, budget);
      isExact &&= edge.isExact;
      return edge.total;
    });
    return { total, isExact };
  }

  async #countOneByOne(
    filter: LogFilter,
    { keptTo, limit }: { readonly keptTo: string; readonly limit: number },
    budget: TimeBudget,
  ): Promise<Counted> {
    let total = 0;
    let seen = 0;
    for await (const { places } of this.#steps(filter, { limit, after: undefined }, budget)) {
      if (places.length > 0) total += await this.#places.countIn(places, filter, { keptTo, limit });
      seen += places.length;
      if (total >= limit || seen >= countPlacesMax || budget.isSpent)
        return { total: Math.min(total, limit), isExact: false };
    }
    return { total, isExact: true };
  }

  /** The places in which all facets occur, from the newest on: as many at a time as are expected to hold enough. */
  async *#steps(filter: LogFilter, { limit, after }: Wanted, { clock }: TimeBudget): AsyncGenerator<Step> {
    const [leading, ...others] = await this.#places.rarestFirst(filter);
    if (leading === undefined) return;
    const pace = new StepPace(clock, placesPerStep);
    let before = endHour(filter, after);
    let needed = limit;
    for (let hourCount = hoursFirst; ; hourCount = hoursLater) {
      const hours = await this.#places.listHours({ filter, leading, others, before }, hourCount);
      const last = hours.at(-1);
      if (last === undefined) return;
      before = last.hour;
      let rest: readonly FacetPlace[] = toPlaces(hours, filter, after);
      do {
        const places = takeExpected(rest, { needed, placesMax: pace.size });
        rest = rest.slice(places.length);
        const lastMinute = rest.length > 0 ? places.at(-1)?.minute : undefined;
        const end = pace.begin();
        // Hours in which the facets never meet are a step too: of those there can be any number.
        yield { places, end: lastMinute === undefined ? last.hour : new Date(lastMinute) };
        end();
        // Where they held less than expected, fewer and longer statements follow.
        needed *= 2;
      } while (rest.length > 0);
    }
  }
}

/** Counters know of one facet at a time. */
function isSummedUp({ facets, entityId }: LogFilter): boolean {
  return facets.length === 1 && entityId === undefined;
}

function since(filter: LogFilter, countedTo: CountedTo): LogFilter {
  if (countedTo === 'never') return filter;
  return { ...filter, from: new Date(Math.max(countedTo.getTime(), filter.from?.getTime() ?? countedTo.getTime())) };
}

function until(filter: LogFilter, countedTo: Date): LogFilter {
  return { ...filter, to: new Date(Math.min(countedTo.getTime(), filter.to?.getTime() ?? countedTo.getTime())) };
}

function mergeNewest(counted: readonly Log[], fresh: readonly Log[]): Log[] {
  const byId = new Map([...counted, ...fresh].map((log) => [`${log.id} ${log.entityId}`, log]));
  return [...byId.values()].toSorted(
    (a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0),
  );
}
