import type { TimeBudget } from '../../../platform/waiting/time-budget.ts';
import type { LogCursor, LogFilter, LogSlice } from './log.ts';

export interface Wanted {
  readonly limit: number;
  readonly after: LogCursor | undefined;
}

/** A total. If counting stopped early, there are at least `total` records. */
export interface Counted {
  readonly total: number;
  readonly isExact: boolean;
}

/** A search of the log that may have to read much more than it finds, and therefore stops at a deadline. */
export interface LogWalk {
  list(filter: LogFilter, wanted: Wanted, budget: TimeBudget): Promise<LogSlice>;
  count(filter: LogFilter, limit: number, budget: TimeBudget): Promise<Counted>;
}
