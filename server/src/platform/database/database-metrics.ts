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

export function addBatchMetrics(metrics: Metrics, { batches }: Database): void {
  const labelNames = ['batch'];
  const items = metrics.addHistogram('strongroom_batch_items', 'Items that shared one commit or one query.', {
    labelNames,
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000],
  });
  const seconds = metrics.addHistogram('strongroom_batch_seconds', 'Time that a batch took.', {
    labelNames,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  metrics.addGauges(
    'strongroom_batch_items_waiting',
    'Items waiting for the batch of their tenant.',
    'batch',
    () => batches.waiting,
  );
  batches.onBatch((batch) => {
    const labels = { batch: batch.name };
    items.observe(labels, batch.items);
    seconds.observe(labels, batch.seconds);
  });
}
