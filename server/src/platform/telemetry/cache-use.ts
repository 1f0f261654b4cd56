import type { Metrics } from './metrics.ts';

/** The size of a cache, and its usage since the process started. */
export interface CacheUse {
  readonly entries: number;
  readonly hits: number;
  readonly loads: number;
  readonly failures: number;
}

export function addCacheMetrics(metrics: Metrics, caches: ReadonlyMap<string, () => CacheUse>): void {
  const uses = () => [...caches].map(([cache, use]) => ({ cache, ...use() }));
  metrics.addGauges(
    'strongroom_cache_entries',
    'Entries of a cache.',
    'cache',
    () => new Map(uses().map(({ cache, entries }) => [cache, entries])),
  );
  metrics.addCounts(
    'strongroom_cache_reads_total',
    'Reads of a cache: hit, load (from the database or the key service), or failed, a load that failed.',
    ['cache', 'outcome'],
    () =>
      uses().flatMap(({ cache, hits, loads, failures }) => [
        { labels: { cache, outcome: 'hit' }, count: hits },
        { labels: { cache, outcome: 'load' }, count: loads },
        { labels: { cache, outcome: 'failed' }, count: failures },
      ]),
  );
}
