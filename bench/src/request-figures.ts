import type { BenchVault } from './bench-vault.ts';
import { median } from './median.ts';
import { postgresProcessorMs } from './postgres-processor-time.ts';
import { untilSealed } from './until-sealed.ts';
import { type Load, runWrk } from './wrk.ts';

export interface RequestFigures {
  readonly perSecond: number;
  /** Processor time per request, in microseconds. */
  readonly server: number;
  readonly postgres: number;
}

/** The figures of two subjects in one round. */
export type FiguresPair = readonly [RequestFigures, RequestFigures];

/** Loads a vault and waits until everything is sealed, which is part of PostgreSQL's processor time. */
export async function measureRequests(vault: BenchVault, load: Load): Promise<RequestFigures> {
  const before = { server: await vault.cpuMicroseconds(), postgres: await postgresProcessorMs(vault.postgres) };
  const { perSecond, requests } = await runWrk(vault, load);
  const server = (await vault.cpuMicroseconds()) - before.server;
  await untilSealed(vault);
  const postgres = 1_000 * ((await postgresProcessorMs(vault.postgres)) - before.postgres);
  return { perSecond, server: server / requests, postgres: postgres / requests };
}

/**
 * Measures two subjects in turns, so that a disturbance affects both. Each round begins with the other subject. The
 * first run of each compiles code and is not counted.
 */
export async function measureInPairs(
  subjects: readonly [() => Promise<RequestFigures>, () => Promise<RequestFigures>],
  rounds: number,
): Promise<FiguresPair[]> {
  const [one, other] = subjects;
  await one();
  await other();
  const pairs: FiguresPair[] = [];
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) {
      pairs.push([await one(), await other()]);
    } else {
      const last = await other();
      pairs.push([await one(), last]);
    }
  }
  return pairs;
}

/** Describes the figures of both subjects, with the median, lowest and highest ratio of the second to the first. */
export function describePairs(pairs: readonly FiguresPair[]): string {
  const describe = (name: keyof RequestFigures) => {
    const medianOf = (index: 0 | 1) => median(pairs.map((pair) => pair[index][name])).toFixed(0);
    const ratios = pairs.map(([one, other]) => other[name] / one[name]).toSorted((a, b) => a - b);
    const range = `${ratios.at(0)?.toFixed(2)} to ${ratios.at(-1)?.toFixed(2)}`;
    return `${medianOf(0)} to ${medianOf(1)}, ${median(ratios).toFixed(2)}× (${range})`;
  };
  return [
    `  requests/s: ${describe('perSecond')}`,
    `  processor time of the server, µs: ${describe('server')}`,
    `  processor time of PostgreSQL, µs: ${describe('postgres')}`,
    '',
  ].join('\n');
}
