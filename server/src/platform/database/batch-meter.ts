import type { Tracer } from '../telemetry/tracer.ts';

/** The kinds of batches. The list is closed because the name is a metric label. */
export const batchNames = [
  'audit',
  'token-create',
  'token-group',
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
