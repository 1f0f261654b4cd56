import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { BenchVault } from './bench-vault.ts';

export const workloads = fileURLToPath(new URL('../workloads', import.meta.url));

export interface Load {
  /** A script in `workloads/`, without its extension. */
  readonly script: string;
  readonly connections: number;
  readonly seconds: number;
  /** The number of existing tokens that scripts can read. */
  readonly tokens?: number;
  /** Requests per second. By default, requests are sent as fast as possible. */
  readonly rate?: number;
  /** The number of the vault's servers that get the load. By default, all of them do. */
  readonly servers?: number;
}

export interface Measured {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface Counted extends Measured {
  readonly requests: number;
}

interface WrkResult {
  readonly requests: number;
  readonly microseconds: number;
  readonly failed: number;
  readonly p50: number;
  readonly p99: number;
}

/**
 * Divides a load among the servers of a vault. Any failed request aborts the run, because it would distort the
 * figures.
 */
export async function runWrk(vault: BenchVault, load: Load): Promise<Counted> {
  const { key } = vault;
  const urls = vault.urls.slice(0, load.servers);
  const results = await Promise.all(
    urls.map((url, index) => runOn(url, key, { ...load, index, servers: urls.length })),
  );
  const requests = results.reduce((sum, one) => sum + one.requests, 0);
  const worst = (name: 'p50' | 'p99') => Math.max(...results.map((one) => one[name])) / 1_000;
  return {
    requests,
    perSecond: results.reduce((sum, one) => sum + one.requests / (one.microseconds / 1_000_000), 0),
    p50Ms: worst('p50'),
    p99Ms: worst('p99'),
  };
}

async function runOn(url: string, key: string, load: Load & { index: number; servers: number }): Promise<WrkResult> {
  const connections = load.connections / load.servers;
  const flags = ['-t1', `-c${connections}`, `-d${load.seconds}s`, '--timeout', '20s'];
  const { stdout } = await promisify(execFile)('wrk', [...flags, '-s', `${workloads}/${load.script}.lua`, url], {
    env: {
      ...process.env,
      BENCH_KEY: key,
      BENCH_WORKLOADS: workloads,
      BENCH_TOKENS: String(load.tokens ?? 0),
      BENCH_SEED: String(load.index * 1_000_003),
      BENCH_RATE_PER_CONNECTION: String((load.rate ?? 0) / load.connections),
    },
  });
  const result = JSON.parse(/^RESULT (.*)$/m.exec(stdout)?.[1] ?? 'null') as WrkResult | null;
  if (result === null || result.failed > 0) throw new Error(`Not every request succeeded:\n${stdout}`);
  return result;
}
