import { LogReader } from '../../../platform/audit/verify/log-reader.ts';
import type { StreamConfig } from '../../../platform/config/log-stream-config.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Wakings } from '../../../platform/jobs/wakings.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import { failureOf, type StreamDestination } from '../destinations/stream-destination.ts';
import { toEncodedLine } from '../format/encoded-line.ts';
import {
  type PendingTenant,
  PositionMoved,
  type StreamState,
  StreamStore,
  wakeStreams,
} from '../model/stream-store.ts';
import { StreamBatch } from './stream-batch.ts';
import type { StreamMetrics } from './stream-metrics.ts';

/** The checkpoints of one read, which limits memory to about ten thousand records. */
const checkpointsPerRead = 10;
/** A tenant with a long backlog gives way to the others after so many checkpoints. */
const checkpointsPerTurn = 50;
const waitSecondsMax = 60;

export interface StreamRunParts {
  /** Connects with the role that reads the log of every tenant. */
  readonly database: Database;
  readonly metrics: StreamMetrics;
  readonly logger: Logger;
  readonly wakings: Wakings;
  readonly pace: StreamPace;
  /** Until when a stream collects lines before it sends them, in the time of this process. */
  readonly collectsUntil: Map<string, number>;
}

export interface StreamPace {
  /** How long a run waits for more records before it ends. */
  readonly lingerMs: number;
  /** The time after which a run ends and another one follows, perhaps in another worker. */
  readonly sliceMs: number;
}

/** Sends what is sealed and not yet accepted until nothing is left or the time is up. */
export class StreamRun {
  readonly #parts: StreamRunParts;
  readonly #config: StreamConfig;
  readonly #destination: StreamDestination;
  readonly #signal: AbortSignal;
  readonly #reader: LogReader;

  constructor(
    parts: StreamRunParts,
    of: { config: StreamConfig; destination: StreamDestination },
    signal: AbortSignal,
  ) {
    this.#parts = parts;
    this.#config = of.config;
    this.#destination = of.destination;
    this.#signal = signal;
    this.#reader = new LogReader(parts.database);
  }

  async run(): Promise<void> {
    const { wakings, pace } = this.#parts;
    const startedAt = performance.now();
    const woken = wakings.listen(this.#config.name);
    try {
      for (;;) {
        if (this.#signal.aborted || performance.now() - startedAt > pace.sliceMs) return await this.#wakeLater(0);
        const end = await this.#pass();
        if (end === 'over') return;
        if (end === 'nothing-to-do' && !(await woken.wait(pace.lingerMs, this.#signal))) return;
      }
    } finally {
      woken.stop();
    }
  }

  async #pass(): Promise<'did-something' | 'nothing-to-do' | 'over'> {
    const { start, tenants } = this.#config;
    const { state, pending } = await this.#withStore(async (store) => {
      await store.ensure(start, tenants);
      return { state: await store.findState(), pending: await store.listPending(tenants) };
    });
    if (state === undefined) return 'over';
    if (state.waitSeconds > 0) {
      await this.#wakeLater(Math.ceil(state.waitSeconds));
      return 'over';
    }
    if (pending.length === 0) return 'nothing-to-do';
    // Storage charges for each object, so lines are collected for an interval.
    const waitMs = (this.#parts.collectsUntil.get(this.#config.name) ?? 0) - performance.now();
    if (waitMs > 0) {
      await this.#wakeLater(Math.ceil(waitMs / 1_000));
      return 'over';
    }
    const isDelivered = await this.#deliver(pending, state);
    if (isDelivered && this.#config.kind === 's3') {
      this.#parts.collectsUntil.set(this.#config.name, performance.now() + this.#config.intervalSeconds * 1_000);
    }
    return isDelivered ? 'did-something' : 'over';
  }

  /** Sends a turn of every pending tenant. Returns false if the run must end. */
  async #deliver(pending: readonly PendingTenant[], state: StreamState): Promise<boolean> {
    let batch = new StreamBatch();
    for (const tenant of pending) {
      const before = await this.#reader.checkpointBefore(tenant.tenantId, tenant.number + 1);
      if (tenant.isBase && before !== undefined) batch.addBase(before);
      let [number, size, taken] = [tenant.number, before?.treeSize ?? 0, 0];
      for await (const section of this.#reader.sections(tenant.tenantId, tenant.number, checkpointsPerRead)) {
        batch.add(section, { number, size, startedAt: state.startedAt });
        ({ number, treeSize: size } = section.checkpoint);
        taken += 1;
        if (batch.isFull) {
          if (!(await this.#send(batch, state))) return false;
          batch = new StreamBatch();
        }
        if (taken >= checkpointsPerTurn || this.#signal.aborted) break;
      }
      if (this.#signal.aborted) break;
    }
    return batch.isEmpty || this.#send(batch, state);
  }

  /** Sends a batch and saves the positions after it. The order is what makes the stream complete. */
  async #send(batch: StreamBatch, state: StreamState): Promise<boolean> {
    const { metrics, logger } = this.#parts;
    const { name, format } = this.#config;
    try {
      await this.#destination.send(batch.lines.map((line) => toEncodedLine(line, format)));
    } catch (error) {
      this.#destination.close();
      metrics.noteFailed(name);
      await this.#putOff(failureOf(error), state);
      return false;
    }
    try {
      await this.#withStore(async (store) => {
        await store.save(batch.steps);
        await store.noteSuccess();
      });
    } catch (error) {
      if (!(error instanceof PositionMoved)) throw error;
      await this.#wakeLater(1);
      return false;
    }
    if (state.failures > 0) logger.info('a log stream works again', { destination: name });
    metrics.noteAccepted(name, batch.lines.length, batch.lost);
    if (batch.lost > 0) {
      logger.error('records for a log stream were dropped by retention', { destination: name, count: batch.lost });
    }
    return true;
  }

  /** Ends the run after a failure. The delay grows up to a minute, and nothing is ever given up. */
  async #putOff(reason: string, { failures }: StreamState): Promise<void> {
    const waitSeconds = Math.min(2 ** Math.min(failures, 10), waitSecondsMax);
    if (failures === 0) {
      this.#parts.logger.warn('a log stream is not accepted', { destination: this.#config.name, error: reason });
    }
    await this.#withStore((store) => store.noteFailure(reason, waitSeconds));
    await this.#wakeLater(waitSeconds);
  }

  #wakeLater(seconds: number): Promise<void> {
    return this.#parts.database.forSealer((tx) => wakeStreams(tx, [this.#config.name], seconds));
  }

  #withStore<T>(work: (store: StreamStore) => Promise<T>): Promise<T> {
    return this.#parts.database.forSealer((tx) => work(new StreamStore(tx, this.#config.name)));
  }
}
