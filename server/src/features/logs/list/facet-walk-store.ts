import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import type { TimeBudget } from '../../../platform/waiting/time-budget.ts';
import { endHour, type FacetMinute, takeExpected, toMinutes } from './facet-minute.ts';
import { FacetMinuteStore } from './facet-minute-store.ts';
import type { Log, LogFilter, LogSlice } from '../model/log.ts';
import { type CountedTo, type Edge, LogCountStore } from './log-count-store.ts';
import { cursorAt } from '../model/log-cursor.ts';
import type { Counted, LogWalk, Wanted } from '../model/log-walk.ts';
import { SliceWalkStore } from './slice-walk-store.ts';
import { StepPace } from '../model/step-pace.ts';

/**
 * The number of hours of each kind that one statement reads. Later statements read more, because they run only if the
 * first hours contained too few records.
 */
const hoursFirst = 24;
const hoursLater = 240;
/** The number of facetMinutes that one statement reads. */
const minutesPerStep = { first: 32, max: 500 };
/**
 * The maximum number of facetMinutes in one search. If the filter values occur but never together, the search stops
 * here at the latest and returns where to continue.
 */
const listMinutesMax = 5_000;
/** The maximum number of facetMinutes for a total, which is worth less than the page that it accompanies. */
const countMinutesMax = 2_000;

/** Minutes to read. After them, everything back to `end` has been read. */
interface Step {
  readonly facetMinutes: readonly FacetMinute[];
  readonly end: Date;
}

/**
 * Finds records by the counters of their facets. It reads the minutes in which all values occur, newest first, and
 * finds the records in them by the primary key. Records that are too new to be counted are read directly.
 */
export class FacetWalkStore implements LogWalk {
  readonly #store: FacetMinuteStore;
  readonly #counts: LogCountStore;
  readonly #slices: SliceWalkStore;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#store = new FacetMinuteStore(tx, tenantId);
    this.#counts = new LogCountStore(tx, tenantId);
    this.#slices = new SliceWalkStore(tx, tenantId);
  }

  /** Lists the newest records, up to `limit`. */
  async list(filter: LogFilter, wanted: Wanted, budget: TimeBudget): Promise<LogSlice> {
    const countedTo = await this.#counts.findBehind(filter);
    if (countedTo === undefined) return this.#listCounted(filter, wanted, budget);
    // The worker is behind. Records that it has not counted are read directly, and the counters are used only for older
    // ones.
    const newer = await this.#slices.list(since(filter, countedTo), wanted, budget);
    const limit = wanted.limit - newer.logs.length;
    if (newer.stoppedAt !== undefined || limit <= 0 || countedTo === 'never') return newer;
    const older = await this.#walk(until(filter, countedTo), { ...wanted, limit }, [], budget);
    return { ...older, logs: [...newer.logs, ...older.logs] };
  }

  /**
   * Counts records. The counters give the count for one facet. For several facets, it stops at `limit` or after the
   * maximum number of facetMinutes.
   */
  async count(filter: LogFilter, limit: number, budget: TimeBudget): Promise<Counted> {
    const countedTo = await this.#counts.findBehind(filter);
    if (countedTo === undefined) return this.#countCounted(filter, limit, budget);
    const newer = await this.#slices.count(since(filter, countedTo), limit, budget);
    if (!newer.isExact || countedTo === 'never') return newer;
    const older = await this.#countKept(until(filter, countedTo), limit, budget);
    return { total: newer.total + older.total, isExact: older.isExact };
  }

  async #listCounted(filter: LogFilter, wanted: Wanted, budget: TimeBudget): Promise<LogSlice> {
    // The position is read first. Records counted since then are found twice, but none is missed.
    const keptTo = await this.#counts.facetsKeptTo();
    const fresh = await this.#store.listFrom(keptTo, filter, wanted);
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
    for await (const { facetMinutes, end } of this.#steps(filter, { limit, after }, budget)) {
      if (facetMinutes.length > 0)
        found.push(...(await this.#store.listIn(facetMinutes, filter, { limit: limit - found.length, after })));
      if (found.length >= limit) break;
      seen += facetMinutes.length;
      if (seen < listMinutesMax && !budget.isSpent) continue;
      const logs = mergeNewest(found, fresh).filter(({ createdAt }) => createdAt >= end);
      return { logs: logs.slice(0, limit), stoppedAt: cursorAt(end) };
    }
    return { logs: mergeNewest(found, fresh).slice(0, limit) };
  }

  /** Counts records, including those that are too new for the counters. */
  async #countCounted(filter: LogFilter, limit: number, budget: TimeBudget): Promise<Counted> {
    if (isSummedUp(filter))
      return this.#sumUp((countEdge) => this.#counts.count(filter, countEdge), filter, limit, budget);
    const keptTo = await this.#counts.facetsKeptTo();
    const fresh = await this.#counts.countFrom(keptTo, filter);
    const { total, isExact } = await this.#countOneByOne(filter, { keptTo, limit }, budget);
    return { total: Math.min(total + fresh, limit), isExact: isExact && total + fresh < limit };
  }

  /** Counts records in a range that the counters include completely. */
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
    for await (const { facetMinutes } of this.#steps(filter, { limit, after: undefined }, budget)) {
      if (facetMinutes.length > 0) total += await this.#store.countIn(facetMinutes, filter, { keptTo, limit });
      seen += facetMinutes.length;
      if (total >= limit || seen >= countMinutesMax || budget.isSpent)
        return { total: Math.min(total, limit), isExact: false };
    }
    return { total, isExact: true };
  }

  /**
   * Yields the facetMinutes in which all facets occur, newest first. Each step has as many facetMinutes as are expected
   * to contain enough records.
   */
  async *#steps(filter: LogFilter, { limit, after }: Wanted, { clock }: TimeBudget): AsyncGenerator<Step> {
    const [leading, ...others] = await this.#store.rarestFirst(filter);
    if (leading === undefined) return;
    const pace = new StepPace(clock, minutesPerStep);
    let before = endHour(filter, after);
    let needed = limit;
    for (let hourCount = hoursFirst; ; hourCount = hoursLater) {
      const hours = await this.#store.listHours({ filter, leading, others, before }, hourCount);
      const last = hours.at(-1);
      if (last === undefined) return;
      before = last.hour;
      let rest: readonly FacetMinute[] = toMinutes(hours, filter, after);
      do {
        const facetMinutes = takeExpected(rest, { needed, minutesMax: pace.size });
        rest = rest.slice(facetMinutes.length);
        const lastMinute = rest.length > 0 ? facetMinutes.at(-1)?.minute : undefined;
        const end = pace.begin();
        // Hours in which the facets never occur together also count as a step, because there can be any number of them.
        yield { facetMinutes, end: lastMinute === undefined ? last.hour : new Date(lastMinute) };
        end();
        // If the facetMinutes contained fewer records than expected, the next statements are fewer and longer.
        needed *= 2;
      } while (rest.length > 0);
    }
  }
}

/** Returns true if the counters alone give the total. They cover one facet at a time. */
function isSummedUp({ facets, entityId, exclusions }: LogFilter): boolean {
  return facets.length === 1 && entityId === undefined && exclusions.length === 0;
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
