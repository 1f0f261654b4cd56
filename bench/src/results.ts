import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';
import type { Cost, IdleCost } from './cost-measurement.ts';
import type { Measured } from './wrk.ts';

/** The conditions of a measurement: the machine, the time and the load. */
export interface Circumstances {
  readonly recorded_at: string;
  readonly processor: string;
  readonly cores: number;
  readonly memory_gb: number;
  readonly node: string;
  readonly postgres: string;
  /** The one-minute load average before and after. */
  readonly load: readonly [number, number];
}

export interface ComparedRow {
  readonly work: string;
  readonly against: string;
  readonly goal: number;
  readonly unit: 'requests' | 'tokens';
  readonly ours: Measured;
  readonly bare: Measured;
  /** The median of the ratios of all rounds. */
  readonly ratio: number;
  readonly ratios: readonly number[];
}

export interface LatencyRow {
  readonly work: string;
  readonly rate: number;
  readonly ours: Measured;
  readonly bare: Measured;
  /** The median of the ratios of all rounds. */
  readonly p50Ratio: number;
  readonly p99Ratio: number;
}

export interface ThroughputResults {
  readonly circumstances: Circumstances;
  readonly servers: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly rows: readonly ComparedRow[];
  readonly latency: readonly LatencyRow[];
}

export interface ComparedCost {
  readonly work: string;
  readonly against: string;
  /** The highest acceptable ratio of PostgreSQL's processor time for a request to that of bare PostgreSQL. */
  readonly goal: number;
  readonly ours: Cost;
  readonly bare: Cost;
  /** The ratios of the processor times in each round. */
  readonly ratios: readonly number[];
}

export interface ServerCountCost {
  readonly work: string;
  readonly servers: number;
  readonly cost: Cost;
}

export interface CostResults {
  readonly circumstances: Circumstances;
  readonly rounds: number;
  readonly seconds: number;
  /** The cost of a second without requests, with as many idle servers as there are at most. */
  readonly idle: IdleCost;
  readonly rows: readonly ComparedCost[];
  readonly servers: readonly ServerCountCost[];
}

export interface GrowthRow {
  readonly operation: string;
  /** Medians in milliseconds, by size. */
  readonly ms: readonly number[];
  readonly p99Ms: readonly number[];
  /** The median of the largest vault divided by that of the smallest. */
  readonly ratio: number;
}

export interface GrowthResults {
  readonly circumstances: Circumstances;
  readonly sizes: readonly number[];
  /** The total size of all tables and indexes, by vault size. */
  readonly bytes: readonly number[];
  readonly rounds: number;
  readonly goal: number;
  readonly rows: readonly GrowthRow[];
}

export interface MemorySample {
  readonly requests: number;
  readonly rss_mb: number;
  readonly heap_mb: number;
}

export interface MemoryResults {
  readonly circumstances: Circumstances;
  readonly goal: number;
  readonly samples: readonly MemorySample[];
  readonly rss_ratio: number;
  readonly heap_ratio: number;
}

const directory = new URL('../results/', import.meta.url);

export async function saveResults(name: string, results: object): Promise<void> {
  await mkdir(directory, { recursive: true });
  await writeFile(new URL(`${name}.json`, directory), `${JSON.stringify(results, undefined, 2)}\n`);
}

export async function saveChart(name: string, svg: string): Promise<void> {
  await writeFile(new URL(`${name}.svg`, directory), svg);
}

/** Loads results. Returns undefined if none have been recorded yet. */
export async function loadResults<T>(name: string): Promise<T | undefined> {
  const text = await readFile(new URL(`${name}.json`, directory), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as T);
}

/** Starts recording the circumstances. Call the returned function after the measurement. */
export function watchCircumstances(postgres: string): () => Circumstances {
  const before = loadNow();
  return () => ({
    recorded_at: new Date().toISOString(),
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memory_gb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    postgres,
    load: [before, loadNow()],
  });
}

function loadNow(): number {
  return Math.round((loadavg()[0] ?? 0) * 10) / 10;
}
