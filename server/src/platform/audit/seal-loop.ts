import { setTimeout as pauseFor } from 'node:timers/promises';
import { reasonOf } from '../../core/errors/operator-error.ts';
import { nameOf } from '../../core/errors/thrown.ts';
import { findOutage } from '../database/database-error.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Anchoring } from './seal/anchoring.ts';
import type { SignedCheckpoint } from './seal/checkpoint.ts';
import type { FacetKeeper } from './record/facet-keeper.ts';
import type { Sealer, SealPass } from './seal/sealer.ts';
import { WatchMetrics } from './watch/watch-metrics.ts';
import type { Watcher } from './watch/watcher.ts';

const pauseMs = 500;
/**
 * The interval at which the newest roots are sent to anchors. It is short enough to be useful, and long enough to keep
 * anchor files reasonably small.
 */
const anchorEveryMs = 10_000;
/** The delay after a failure. Retrying twice per second would not help a struggling database. */
const pauseAfterFailureMs = 2_000;
/** The interval at which the counting progress is logged. */
const tellEveryMs = 10_000;

interface SealLoopParts {
  readonly sealer: Sealer;
  readonly facets: FacetKeeper;
  readonly watcher: Watcher;
  readonly anchorings: readonly Anchoring[];
  /** Called with the tenants that records were sealed for. */
  readonly wake: (tenantIds: readonly string[]) => Promise<void>;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/**
 * Seals as long as the process runs. Any number of workers may run it: the one that holds the lock does the work, and
 * the others poll.
 */
export class SealLoop {
  readonly #parts: SealLoopParts;
  readonly #watchMetrics: WatchMetrics;
  readonly #lag: ReturnType<Metrics['addHistogram']>;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  #lastPassAt = performance.now();
  #waitingMs = 0;
  #stoppedCount = 0;
  #toldStops: ReadonlyMap<string, string> = new Map();
  #isBehind = false;
  #countedBehind = 0;
  #toldBehindAt = Number.NEGATIVE_INFINITY;
  #anchoredAt = Number.NEGATIVE_INFINITY;

  constructor(parts: SealLoopParts) {
    this.#parts = parts;
    this.#watchMetrics = new WatchMetrics(parts.metrics);
    this.#lag = parts.metrics.addHistogram(
      'strongroom_audit_seal_lag_seconds',
      'Age of the oldest record in a sealing pass at the time it was sealed.',
      { buckets: [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300] },
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
    parts.metrics.addGauge(
      'strongroom_audit_seal_stopped_tenants',
      'Tenants whose sealing has stopped because their newest checkpoint is damaged. The log names them.',
      () => this.#stoppedCount,
    );
    parts.metrics.addGauge('strongroom_audit_anchor_waiting', 'Checkpoints that an anchor has not taken yet.', () =>
      this.#parts.anchorings.reduce((sum, { waitingCount }) => sum + waitingCount, 0),
    );
    parts.metrics.addGauge(
      'strongroom_audit_anchor_lag_seconds',
      'How long checkpoints have been waiting for an anchor to take them; 0 if none waits.',
      () => this.#parts.anchorings.reduce((longest, { lagMs }) => Math.max(longest, lagMs), 0) / 1_000,
    );
    this.#ended = this.#run();
  }

  /** Stops after the current pass. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
    await Promise.all(this.#parts.anchorings.map((anchoring) => anchoring.deliver().catch(() => undefined)));
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const pause = await this.#pass();
      // The signal to stop ends the delay early.
      if (pause > 0) await pauseFor(pause, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    }
  }

  /** Runs one pass and returns the delay before the next one, in milliseconds. */
  async #pass(): Promise<number> {
    try {
      const pass = await this.#parts.sealer.seal();
      this.#waitingMs = pass.waitingMs;
      this.#stoppedCount = pass.stoppedCount;
      this.#lastPassAt = performance.now();
      if (pass.sealed > 0) this.#lag.observe({}, pass.lagMs / 1_000);
      this.#tellStops(pass);
      this.#anchor(pass.checkpoints);
      await this.#wake(pass.checkpoints);
      const areFacetsFull = await this.#keepFacets();
      const isMoreToWatch = await this.#watch();
      return pass.isFull || areFacetsFull || isMoreToWatch ? 0 : pauseMs;
    } catch (error) {
      if (findOutage(error) === undefined) this.#parts.logger.error('sealing failed', { error: reasonOf(error) });
      return pauseAfterFailureMs;
    }
  }

  /** Logs each stop once, and again if its reason changes. A worker that has just started logs all of them. */
  #tellStops({ stopped, waiting, resumed }: SealPass): void {
    for (const tenantId of resumed) this.#parts.logger.info('sealing of a tenant resumed', { value: tenantId });
    const now = [...stopped, ...waiting];
    for (const { tenantId, reason } of now) {
      if (this.#toldStops.get(tenantId) === reason) continue;
      this.#parts.logger.error('sealing of a tenant stopped', { error: reason });
    }
    this.#toldStops = new Map(now.map(({ tenantId, reason }) => [tenantId, reason]));
  }

  /**
   * Counts the next records and returns true if there are more. After an upgrade the whole log has to be counted, so
   * the progress is logged.
   */
  async #keepFacets(): Promise<boolean> {
    const { counted, isFull } = await this.#parts.facets.keep().catch((error: unknown) => {
      if (findOutage(error) === undefined)
        this.#parts.logger.error('counting the audit log failed', { error: nameOf(error) });
      return { counted: 0, isFull: false };
    });
    this.#countedBehind = this.#isBehind || isFull ? this.#countedBehind + counted : 0;
    const isTime = performance.now() - this.#toldBehindAt > tellEveryMs;
    if (this.#isBehind && (isTime || !isFull)) {
      this.#toldBehindAt = performance.now();
      this.#parts.logger.info(isFull ? 'counting the audit log' : 'counted the audit log', {
        count: this.#countedBehind,
      });
    }
    this.#isBehind = isFull;
    return isFull;
  }

  /** Tells those who follow the log. If that fails, they notice at the next sealed record of the tenant. */
  async #wake(checkpoints: readonly SignedCheckpoint[]): Promise<void> {
    if (checkpoints.length === 0) return;
    try {
      await this.#parts.wake([...new Set(checkpoints.map(({ tenantId }) => tenantId))]);
    } catch (error) {
      if (findOutage(error) === undefined)
        this.#parts.logger.error('followers of the audit log were not woken', { error: nameOf(error) });
    }
  }

  /** Watches the next records and returns true if there are more. */
  async #watch(): Promise<boolean> {
    try {
      const pass = await this.#parts.watcher.watch();
      this.#watchMetrics.count(pass);
      for (const { keyId, rule, count } of pass.alerts)
        this.#parts.logger.warn('alert', { code: rule, value: keyId, count });
      for (const failure of pass.failures)
        this.#parts.logger.error('an alert was not recorded', { error: nameOf(failure) });
      return pass.isFull;
    } catch (error) {
      if (findOutage(error) === undefined)
        this.#parts.logger.error('watching the audit log failed', { error: reasonOf(error) });
      return false;
    }
  }

  /**
   * Starts a delivery to each anchor without waiting for it. A slow or unreachable anchor delays nothing. Checkpoints
   * that the anchor has not received are kept until it is reachable again.
   */
  #anchor(checkpoints: readonly SignedCheckpoint[]): void {
    for (const anchoring of this.#parts.anchorings) anchoring.add(checkpoints);
    if (performance.now() - this.#anchoredAt < anchorEveryMs) return;
    this.#anchoredAt = performance.now();
    for (const anchoring of this.#parts.anchorings) {
      anchoring.deliver().catch((error: unknown) => {
        const reason = nameOf(error);
        this.#parts.logger.error('anchoring failed', { destination: anchoring.name, error: reason });
      });
    }
  }
}
