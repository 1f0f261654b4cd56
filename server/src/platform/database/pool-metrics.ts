import type { Metrics } from '../telemetry/metrics.ts';
import type { Database } from './database.ts';

/** Adds the usage of this process's connection pools. The keys of the map name the purpose of each pool. */
export function addPoolMetrics(metrics: Metrics, pools: ReadonlyMap<string, Database>): void {
  const gauges: readonly [name: string, help: string, read: (usage: Database['usage']) => number][] = [
    ['connections_open', 'Open connections to PostgreSQL.', ({ open }) => open],
    ['connections_idle', 'Open connections to PostgreSQL that nothing uses.', ({ idle }) => idle],
    ['connections_max', 'The most connections to PostgreSQL that may be open.', ({ max }) => max],
    ['requests_waiting', 'Requests waiting for a database connection.', ({ waiting }) => waiting],
  ];
  for (const [name, help, read] of gauges)
    metrics.addGauges(
      `strongroom_database_${name}`,
      help,
      'pool',
      () => new Map([...pools].map(([pool, { usage }]) => [pool, read(usage)])),
    );
}
