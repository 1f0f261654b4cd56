import type { Injected } from '../injections/injected.ts';
import type { Entry } from '../load/history.ts';

/** The period before and after a clock fault during which timestamps cannot be compared reliably. */
const unclearMs = 2_000;

/**
 * Returns a function that returns true if all clocks agreed during a request. Otherwise it is not known what had
 * expired.
 */
export function findClearTimes(injected: readonly Injected[]): (entry: Entry) => boolean {
  const unclear = injected
    .filter(({ makesTimeUnclear }) => makesTimeUnclear)
    .map(({ beganAt, healthyAt }) => ({ from: beganAt - unclearMs, to: healthyAt + unclearMs }));
  return ({ startedAt, endedAt }) => !unclear.some(({ from, to }) => startedAt < to && endedAt > from);
}
