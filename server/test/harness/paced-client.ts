import { Worker } from 'node:worker_threads';

export interface PacedRequest {
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly body?: unknown;
  /** `application/json` by default. */
  readonly contentType?: string;
}

/** Requests that are sent in turn, so many a second, whether or not the ones before have been answered. */
export interface PacedStream {
  readonly requests: readonly PacedRequest[];
  readonly perSecond: number;
}

export interface PacedOutcome {
  readonly latenciesMs: readonly number[];
  /** How often each status came; 0 stands for a connection that broke, -1 for what was not sent because too much was under way. */
  readonly statuses: Readonly<Record<string, number>>;
}

/** A client in a thread of its own and at an address of its own, so that what it does neither slows down nor counts for others. */
export class PacedClient {
  readonly #worker: Worker;

  /** One that stands for a machine elsewhere uses the processors that nothing else needs. */
  constructor(
    url: string,
    localAddress: string,
    { streams, isElsewhere = false }: { readonly streams: readonly PacedStream[]; readonly isElsewhere?: boolean },
  ) {
    this.#worker = new Worker(new URL('paced-client-thread.ts', import.meta.url), {
      workerData: { url, localAddress, streams, isElsewhere },
    });
  }

  /** Sends for so long, and waits for the rest of the answers. */
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
