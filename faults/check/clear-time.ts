import type { Injected } from '../injections/injected.ts';
import type { Entry } from '../load/history.ts';

/** The time before and after a clock fault in which the order of times is uncertain. */
const unclearMs = 2_000;

/** Returns a function that is true if all clocks agreed during a request. Only then is it known what had expired. */
export function findClearTimes(injected: readonly Injected[]): (entry: Entry) => boolean {
  const unclear = injected
    .filter(({ makesTimeUnclear }) => makesTimeUnclear)
    .map(({ beganAt, healthyAt }) => ({ from: beganAt - unclearMs, to: healthyAt + unclearMs }));
  return ({ startedAt, endedAt }) => !unclear.some(({ from, to }) => startedAt < to && endedAt > from);
}
