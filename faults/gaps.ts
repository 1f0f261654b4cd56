import type { Entry } from './load/history.ts';
import type { Injected } from './injections/injected.ts';

/** The longest time without any successful request during one fault. */
export interface Gap {
  readonly name: string;
  readonly seconds: number;
}

export function gapsOf(entries: readonly Entry[], injected: readonly Injected[]): Gap[] {
  const successes = entries
    .filter(({ outcome }) => outcome === 'done')
    .map(({ endedAt }) => endedAt)
    .toSorted((one, other) => one - other);
  return injected.map(({ name, beganAt, healthyAt }) => {
    const within = successes.filter((at) => at >= beganAt && at <= healthyAt + 1_000);
    // If nothing succeeded during a fault, the whole fault is one gap.
    const times = [beganAt, ...within, Math.max(healthyAt, within.at(-1) ?? 0)];
    const longest = times.slice(1).reduce((most, at, index) => Math.max(most, at - (times[index] ?? at)), 0);
    return { name, seconds: longest / 1_000 };
  });
}

/** Returns the count, the median and the worst gap in seconds for each kind of fault. */
export function tableOf(gaps: readonly Gap[]): { name: string; count: number; median: number; worst: number }[] {
  return [...Map.groupBy(gaps, ({ name }) => name)].map(([name, ofKind]) => {
    const sorted = ofKind.map(({ seconds }) => seconds).toSorted((one, other) => one - other);
    const median = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
    return { name, count: sorted.length, median, worst: sorted.at(-1) ?? 0 };
  });
}
