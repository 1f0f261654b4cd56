import { setTimeout as pauseFor } from 'node:timers/promises';
import { nameOf } from '../../core/errors/thrown.ts';
import { findOutage } from '../database/database-error.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Anchoring } from './anchoring.ts';
import type { SignedCheckpoint } from './checkpoint.ts';
import { LogSealing, type LogWorkers } from './log-sealing.ts';
import type { NodeContradictionLog } from './node-contradiction-log.ts';
import type { NodeSealKeeper } from './node-seal-keeper.ts';
import { WatchMetrics } from './watch-metrics.ts';

/** An anchor gets the newest roots this often: often enough to matter, seldom enough to stay a file of sensible size. */
const anchorEveryMs = 10_000;
/** What is due by then is noted at home. */
const noteEveryMs = 60_000;
/** For what has to be noted before a process ends. */
const lastNoteMs = 5_000;

/** What keeps the checkpoints of nodes until home has noted them, and the nodes that contradict. */
export interface NodeSeals {
  readonly keeper: NodeSealKeeper;
  readonly contradictions: Pick<NodeContradictionLog, 'count'>;
}

/**
 * Seals as long as the process runs, the log of each database by itself: one that does not respond holds up no other. Any number of
 * workers may: the one with the lock works, the others look again.
 */
export class SealLoop {
  readonly #logs: readonly LogSealing[];
  readonly #anchorings: readonly Anchoring[];
  readonly #nodeSeals: NodeSeals | undefined;
  readonly #logger: Logger;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<unknown>;
  #anchoredAt = Number.NEGATIVE_INFINITY;
  #notedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: {
    /** One for each database. */
    logs: readonly LogWorkers[];
    anchorings: readonly Anchoring[];
    nodeSeals?: NodeSeals | undefined;
    logger: Logger;
    metrics: Metrics;
  }) {
    const { logger, metrics } = parts;
    this.#anchorings = parts.anchorings;
    this.#nodeSeals = parts.nodeSeals;
    this.#logger = logger;
    const watchMetrics = new WatchMetrics(metrics);
    const lag = metrics.addHistogram(
      'strongroom_audit_seal_lag_seconds',
      'Age of the oldest record in a sealing pass at the time it was sealed.',
      { buckets: [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300] },
    );
    this.#logs = parts.logs.map(
      (workers) =>
        new LogSealing(workers, {
          logger,
          onSealed: (pass) => {
            if (pass.sealed > 0) lag.observe({}, pass.lagMs / 1_000);
            this.#anchor(pass.checkpoints);
            this.#noteAtHome(pass.checkpoints);
          },
          onWatched: (pass) => watchMetrics.count(pass),
        }),
    );
    this.#addGauges(metrics);
    this.#ended = Promise.all(this.#logs.map((log) => this.#run(log)));
  }

  /** Ends after the passes that are under way. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
    await Promise.all([
      ...this.#anchorings.map((anchoring) => anchoring.deliver().catch(() => undefined)),
      this.#note({ everySeconds: 0, signal: AbortSignal.timeout(lastNoteMs) }),
    ]);
  }

  /** Of several databases, the worst is what an operator has to know. */
  #addGauges(metrics: Metrics): void {
    const worst = (read: (log: LogSealing) => number) => Math.max(...this.#logs.map(read)) / 1_000;
    metrics.addGauge(
      'strongroom_audit_unsealed_age_seconds',
      'Age of the oldest unsealed record at the last check.',
      () => worst(({ waitingMs }) => waitingMs),
    );
    metrics.addGauge('strongroom_audit_seal_idle_seconds', 'Time since the last successful sealing pass.', () =>
      worst(({ idleMs }) => idleMs),
    );
    metrics.addGauge(
      'strongroom_audit_seal_stopped_tenants',
      'Tenants whose sealing has stopped because their newest checkpoint is damaged, or whose log on a node is not what was signed. The log names them.',
      () =>
        this.#logs.reduce((sum, { stoppedCount }) => sum + stoppedCount, this.#nodeSeals?.contradictions.count ?? 0),
    );
    metrics.addGauge('strongroom_audit_anchor_waiting', 'Checkpoints that an anchor has not taken yet.', () =>
      this.#anchorings.reduce((sum, { waitingCount }) => sum + waitingCount, 0),
    );
    metrics.addGauge(
      'strongroom_audit_anchor_lag_seconds',
      'How long checkpoints have been waiting for an anchor to take them; 0 if none waits.',
      () => this.#anchorings.reduce((longest, { lagMs }) => Math.max(longest, lagMs), 0) / 1_000,
    );
  }

  async #run(log: LogSealing): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const pause = await log.pass();
      // Ended early by the signal to stop.
      if (pause > 0) await pauseFor(pause, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    }
  }

  /** Not waited for: an anchor that is slow or away holds up nothing, and what it misses stays until it is back. */
  #anchor(checkpoints: readonly SignedCheckpoint[]): void {
    for (const anchoring of this.#anchorings) anchoring.add(checkpoints);
    if (performance.now() - this.#anchoredAt < anchorEveryMs) return;
    this.#anchoredAt = performance.now();
    for (const anchoring of this.#anchorings) {
      anchoring.deliver().catch((error: unknown) => {
        const reason = nameOf(error);
        this.#logger.error('anchoring failed', { destination: anchoring.name, error: reason });
      });
    }
  }

  /** Not waited for either: what is not noted stays. */
  #noteAtHome(checkpoints: readonly SignedCheckpoint[]): void {
    this.#nodeSeals?.keeper.add(checkpoints);
    if (performance.now() - this.#notedAt < noteEveryMs) return;
    this.#notedAt = performance.now();
    void this.#note();
  }

  async #note(options?: Parameters<NodeSealKeeper['note']>[0]): Promise<void> {
    try {
      await this.#nodeSeals?.keeper.note(options);
    } catch (error) {
      if (findOutage(error) === undefined)
        this.#logger.error('noting the logs of nodes failed', { error: nameOf(error) });
    }
  }
}
