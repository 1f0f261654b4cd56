import type { Metrics } from '../telemetry/metrics.ts';
import type { Tracer } from '../telemetry/tracer.ts';

/** The kinds of batches. The list is closed because the name is a metric label. */
export const batchNames = [
  'audit',
  'token-create',
  'token-group',
  'token-duplicate',
  'token-find',
  'token-read',
  'token-list',
  'proxy-begin',
  'proxy-end',
] as const;
export type BatchName = (typeof batchNames)[number];

export interface FinishedBatch {
  readonly name: BatchName;
  readonly items: number;
  readonly seconds: number;
}

/** Observes all batches of a database, so that they can be measured and traced in one place. */
export class BatchMeter {
  readonly tracer: Tracer;
  readonly #waiting = new Map<BatchName, number>(batchNames.map((name) => [name, 0]));
  #listener: (batch: FinishedBatch) => void = () => undefined;

  constructor(tracer: Tracer) {
    this.tracer = tracer;
  }

  /** The total weight of the items that are waiting for a batch, by kind of batch. */
  get waiting(): ReadonlyMap<BatchName, number> {
    return this.#waiting;
  }

  onBatch(listener: (batch: FinishedBatch) => void): void {
    this.#listener = listener;
  }

  /** Adds to the waiting weight. `size` is negative if items leave the queue. */
  addWaiting(name: BatchName, size: number): void {
    this.#waiting.set(name, (this.#waiting.get(name) ?? 0) + size);
  }

  finish(batch: FinishedBatch): void {
    this.#listener(batch);
  }
}

export function addBatchMetrics(metrics: Metrics, batches: BatchMeter): void {
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
