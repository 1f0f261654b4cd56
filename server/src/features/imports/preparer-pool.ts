import { Worker } from 'node:worker_threads';
import type { RecordBatch } from '../../platform/files/record-reader.ts';
import type { TenantKeys } from '../../platform/keyring/keys/tenant-keyring.ts';
import type { PreparedRecord } from './record-preparer.ts';
import type { ThreadResult, ThreadSettings, ThreadTask } from './preparer-thread.ts';

/** After compilation, the names of this file and of the thread file end in `.js`. */
const threadFile = new URL(
  `./preparer-thread${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`,
  import.meta.url,
);

/**
 * A pool of threads that validate and encrypt records. On the thread that talks to the database, this work would delay
 * every query result, because encrypting a row takes about as long as writing it.
 */
export class PreparerPool {
  readonly #threads: PreparerThread[];
  #turn = 0;

  constructor(settings: ThreadSettings, threadCount: number) {
    this.#threads = Array.from({ length: threadCount }, () => new PreparerThread(settings));
  }

  get size(): number {
    return this.#threads.length;
  }

  prepare(batch: RecordBatch, keys: TenantKeys): Promise<readonly PreparedRecord[]> {
    const thread = this.#threads[this.#turn % this.#threads.length];
    this.#turn += 1;
    if (thread === undefined) throw new Error('A pool has at least one thread.');
    return thread.prepare({ batch, keys });
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}

class PreparerThread {
  readonly #worker: Worker;
  readonly #waiting: PromiseWithResolvers<readonly PreparedRecord[]>[] = [];
  #failure: Error | undefined;

  constructor(settings: ThreadSettings) {
    this.#worker = new Worker(threadFile, { workerData: settings });
    this.#worker.on('message', (result: ThreadResult) => {
      const waiting = this.#waiting.shift();
      if ('prepared' in result) waiting?.resolve(result.prepared);
      else waiting?.reject(new Error(result.failure));
    });
    this.#worker.on('error', (error) => this.#fail(error instanceof Error ? error : new Error(String(error))));
    this.#worker.on('exit', () => this.#fail(new Error('A thread that prepares records ended unexpectedly.')));
  }

  prepare(task: ThreadTask): Promise<readonly PreparedRecord[]> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const waiting = Promise.withResolvers<readonly PreparedRecord[]>();
    this.#waiting.push(waiting);
    this.#worker.postMessage(task, [task.batch.bytes.buffer]);
    return waiting.promise;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(this.#failure);
  }
}
