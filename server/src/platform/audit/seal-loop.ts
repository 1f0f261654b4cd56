import { setTimeout as pauseFor } from 'node:timers/promises';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Anchoring } from './anchoring.ts';
import type { SignedCheckpoint } from './checkpoint.ts';
import { SealingError } from './seal-store.ts';
import type { Sealer } from './sealer.ts';

const pauseMs = 500;
/** An anchor gets the newest roots this often: often enough to matter, seldom enough to stay a file of sensible size. */
const anchorEveryMs = 10_000;
/** A database in trouble is not helped by two tries a second. */
const pauseAfterFailureMs = 2_000;

/** Seals as long as the process runs. Any number of workers may: whoever has the lock works, the others look again. */
export class SealLoop {
  readonly #sealer: Sealer;
  readonly #anchorings: readonly Anchoring[];
  readonly #logger: Logger;
  readonly #lag: { observe(seconds: number): void };
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  #lastPassAt = performance.now();
  #waitingMs = 0;
  #anchoredAt = Number.NEGATIVE_INFINITY;

  constructor(parts: { sealer: Sealer; anchorings: readonly Anchoring[]; logger: Logger; metrics: Metrics }) {
    this.#sealer = parts.sealer;
    this.#anchorings = parts.anchorings;
    this.#logger = parts.logger;
    this.#lag = parts.metrics.addHistogram(
      'strongroom_audit_seal_lag_seconds',
      'Age of the oldest record in a sealing pass at the time it was sealed.',
      [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300],
    );
    parts.metrics.addGauge(
      'strongroom_audit_unsealed_age_seconds',
      'Age of the oldest unsealed record at the last check.',
      () => this.#waitingMs / 1_000,
    );
    parts.metrics.addGauge(
      'strongroom_audit_seal_idle_seconds',
      'Time since the last successful sealing pass.',
      () => (performance.now() - this.#lastPassAt) / 1_000,
    );
    parts.metrics.addGauge('strongroom_audit_anchor_waiting', 'Checkpoints not yet delivered to an anchor.', () =>
      this.#anchorings.reduce((sum, { waitingCount }) => sum + waitingCount, 0),
    );
    this.#ended = this.#run();
  }

  /** Ends after the pass that is under way. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
    await Promise.all(this.#anchorings.map((anchoring) => anchoring.deliver().catch(() => undefined)));
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const pause = await this.#pass();
      // Ended early by the signal to stop.
      if (pause > 0) await pauseFor(pause, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    }
  }

  /** How long to pause afterwards. */
  async #pass(): Promise<number> {
    try {
      const { sealed, lagMs, waitingMs, checkpoints, isFull } = await this.#sealer.seal();
      this.#waitingMs = waitingMs;
      this.#lastPassAt = performance.now();
      if (sealed > 0) this.#lag.observe(lagMs / 1_000);
      this.#anchor(checkpoints);
      return isFull ? 0 : pauseMs;
    } catch (error) {
      // Our own messages name no value; those of others might.
      const isOurs = error instanceof SealingError;
      const reason = isOurs ? error.message : error instanceof Error ? error.name : 'unknown';
      this.#logger.error('sealing failed', { error: reason });
      return pauseAfterFailureMs;
    }
  }

  /** Not waited for: an anchor that is slow or away holds up nothing, and what it misses stays until it is back. */
  #anchor(checkpoints: readonly SignedCheckpoint[]): void {
    for (const anchoring of this.#anchorings) anchoring.add(checkpoints);
    if (performance.now() - this.#anchoredAt < anchorEveryMs) return;
    this.#anchoredAt = performance.now();
    for (const anchoring of this.#anchorings) {
      anchoring.deliver().catch((error: unknown) => {
        const reason = error instanceof Error ? error.name : 'unknown';
        this.#logger.error('anchoring failed', { destination: anchoring.name, error: reason });
      });
    }
  }
}
