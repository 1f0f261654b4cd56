import type { Injected } from '../injections/injected.ts';
import type { Entry } from '../load/history.ts';

/** How long before and after a clock was wrong nobody can say what the time was. */
const unclearMs = 2_000;

/** Tells whether all clocks agreed while a request was handled: only then can be said what had expired. */
export function findClearTimes(injected: readonly Injected[]): (entry: Entry) => boolean {
  const unclear = injected
    .filter(({ makesTimeUnclear }) => makesTimeUnclear)
    .map(({ beganAt, healthyAt }) => ({ from: beganAt - unclearMs, to: healthyAt + unclearMs }));
  return ({ startedAt, endedAt }) => !unclear.some(({ from, to }) => startedAt < to && endedAt > from);
}
