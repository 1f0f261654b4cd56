import type { TimeBudget } from '../../platform/waiting/time-budget.ts';
import type { LogCursor, LogFilter, LogSlice } from './log.ts';
import type { Counted } from './log-walk.ts';

export interface PlacedSlice {
  readonly offset: number;
  readonly limit: number;
  readonly after: LogCursor | undefined;
}

/** The log of a tenant: what one database holds of it, or all of them together. */
export interface LogSource {
  /** Newest first. */
  list(filter: LogFilter, slice: PlacedSlice, budget: TimeBudget): Promise<LogSlice>;
  /** `isExact` is false for a count that stopped before the end. */
  count(filter: LogFilter, budget: TimeBudget): Promise<Counted>;
  /** From when on nothing has been dropped. */
  findKeptSince(): Promise<Date>;
}
