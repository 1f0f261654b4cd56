import { Worker } from 'node:worker_threads';

export interface PacedRequest {
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly body?: unknown;
  /** `application/json` by default. */
  readonly contentType?: string;
}

/** Requests that are sent in turn at a fixed rate, whether or not earlier ones have finished. */
export interface PacedStream {
  readonly requests: readonly PacedRequest[];
  readonly perSecond: number;
}

export interface PacedOutcome {
  readonly latenciesMs: readonly number[];
  /**
   * The number of responses by status. 0 stands for a broken connection, and -1 for a request that was not sent because
   * too many were in flight.
   */
  readonly statuses: Readonly<Record<string, number>>;
}

/**
 * A client with its own thread and address, so that its work neither slows down others nor counts against their limits.
 */
export class PacedClient {
  readonly #worker: Worker;

  /** A client with `isElsewhere` represents a remote machine. It runs at low priority and uses only idle CPU time. */
  constructor(
    url: string,
    localAddress: string,
    { streams, isElsewhere = false }: { readonly streams: readonly PacedStream[]; readonly isElsewhere?: boolean },
  ) {
    this.#worker = new Worker(new URL('paced-client-thread.ts', import.meta.url), {
      workerData: { url, localAddress, streams, isElsewhere },
    });
  }

  /** Sends requests for the given time, then waits for the remaining responses. */
  run(milliseconds: number): Promise<PacedOutcome> {
    return new Promise((resolve, reject) => {
      this.#worker.once('message', resolve);
      this.#worker.once('error', reject);
      this.#worker.postMessage(milliseconds);
    });
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
