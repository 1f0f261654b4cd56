import { nameOf } from '../../core/errors/thrown.ts';
import { findOutage } from '../database/database-error.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { FacetKeeper } from './facet-keeper.ts';
import { SealingError } from './seal-store.ts';
import type { Sealer, SealPass } from './sealer.ts';
import type { Watcher, WatchPass } from './watcher.ts';

const pauseMs = 500;
/** A database in trouble is not helped by two tries a second. */
const pauseAfterFailureMs = 2_000;
/** How often an operator is told how far counting is. */
const tellEveryMs = 10_000;

/** What works on the log of one database. */
export interface LogWorkers {
  readonly sealer: Pick<Sealer, 'seal'>;
  readonly facets: Pick<FacetKeeper, 'keep'>;
  readonly watcher: Pick<Watcher, 'watch'>;
  /** The name of the database, unless it is the home database. */
  readonly node?: string | undefined;
}

interface Listeners {
  readonly logger: Logger;
  readonly onSealed: (pass: SealPass) => void;
  readonly onWatched: (pass: WatchPass) => void;
}

/** Seals, counts and watches the log of one database, a pass at a time, and knows how far it is. */
export class LogSealing {
  readonly #workers: LogWorkers;
  readonly #listeners: Listeners;
  readonly #logger: Logger;
  #lastPassAt = performance.now();
  #waitingMs = 0;
  #stoppedCount = 0;
  #toldStops: ReadonlyMap<string, string> = new Map();
  #isBehind = false;
  #countedBehind = 0;
  #toldBehindAt = Number.NEGATIVE_INFINITY;

  constructor(workers: LogWorkers, listeners: Listeners) {
    this.#workers = workers;
    this.#listeners = listeners;
    this.#logger = listeners.logger;
  }

  /** Age of the oldest unsealed record at the last check. */
  get waitingMs(): number {
    return this.#waitingMs;
  }

  get idleMs(): number {
    return performance.now() - this.#lastPassAt;
  }

  get stoppedCount(): number {
    return this.#stoppedCount;
  }

  /** How long to pause afterwards. */
  async pass(): Promise<number> {
    try {
      const pass = await this.#workers.sealer.seal();
      this.#waitingMs = pass.waitingMs;
      this.#stoppedCount = pass.stoppedCount;
      this.#lastPassAt = performance.now();
      this.#tellStops(pass);
      this.#listeners.onSealed(pass);
      const areFacetsFull = await this.#keepFacets();
      const isMoreToWatch = await this.#watch();
      return pass.isFull || areFacetsFull || isMoreToWatch ? 0 : pauseMs;
    } catch (error) {
      if (findOutage(error) === undefined) this.#logger.error('sealing failed', this.#toFields(reasonOf(error)));
      return pauseAfterFailureMs;
    }
  }

  /** Each stop once, and again when it has another reason: a worker that has just started has said nothing yet. */
  #tellStops({ stopped, waiting, resumed }: SealPass): void {
    for (const tenantId of resumed) this.#logger.info('sealing of a tenant resumed', { value: tenantId });
    const now = [...stopped, ...waiting];
    for (const { tenantId, reason } of now) {
      if (this.#toldStops.get(tenantId) === reason) continue;
      this.#logger.error('sealing of a tenant stopped', this.#toFields(reason));
    }
    this.#toldStops = new Map(now.map(({ tenantId, reason }) => [tenantId, reason]));
  }

  /** Whether there is more. After an upgrade there is a whole log to count, and the operator is told how far it is. */
  async #keepFacets(): Promise<boolean> {
    const { counted, isFull } = await this.#workers.facets.keep().catch((error: unknown) => {
      if (findOutage(error) === undefined)
        this.#logger.error('counting the audit log failed', this.#toFields(nameOf(error)));
      return { counted: 0, isFull: false };
    });
    this.#countedBehind = this.#isBehind || isFull ? this.#countedBehind + counted : 0;
    const isTime = performance.now() - this.#toldBehindAt > tellEveryMs;
    if (this.#isBehind && (isTime || !isFull)) {
      this.#toldBehindAt = performance.now();
      this.#logger.info(isFull ? 'counting the audit log' : 'counted the audit log', { count: this.#countedBehind });
    }
    this.#isBehind = isFull;
    return isFull;
  }

  /** Whether there is more. */
  async #watch(): Promise<boolean> {
    try {
      const pass = await this.#workers.watcher.watch();
      this.#listeners.onWatched(pass);
      for (const { keyId, rule, count } of pass.alerts) this.#logger.warn('alert', { code: rule, value: keyId, count });
      for (const failure of pass.failures) this.#logger.error('an alert was not recorded', { error: nameOf(failure) });
      return pass.isFull;
    } catch (error) {
      if (findOutage(error) === undefined)
        this.#logger.error('watching the audit log failed', this.#toFields(reasonOf(error)));
      return false;
    }
  }

  /** The home database needs no name. */
  #toFields(error: string): { readonly error: string; readonly destination?: string } {
    const { node } = this.#workers;
    return node === undefined ? { error } : { error, destination: node };
  }
}

/** Our own messages name no value; those of others might. */
function reasonOf(error: unknown): string {
  return error instanceof SealingError ? error.message : nameOf(error);
}
