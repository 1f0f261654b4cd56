import { withinTime } from '../../waiting/within-time.ts';
import type { Database } from '../database.ts';
import { judgeGround } from './ground-checks.ts';
import type { GroundExpectations, GroundFinding } from './ground-finding.ts';
import { type GroundReading, readGround } from './ground-reading.ts';

const readEveryMs = 15_000;
const readTimeoutMs = 5_000;

/** Reads the state of the database at intervals, so that neither probes nor scrapes wait for it. */
export class GroundWatch {
  readonly #database: Database;
  readonly #expectations: GroundExpectations;
  #timer: NodeJS.Timeout | undefined;
  #reading: GroundReading | undefined;
  #refreshing: Promise<void> | undefined;
  #isReadOnly = false;
  readonly #readOnlyListeners: ((isReadOnly: boolean) => void)[] = [];

  constructor(database: Database, expectations: GroundExpectations) {
    this.#database = database;
    this.#expectations = expectations;
  }

  /** Starts without waiting for the first reading, because a server is ready without it. */
  start(): this {
    void this.refresh();
    this.#timer = setInterval(() => void this.refresh(), readEveryMs).unref();
    return this;
  }

  /** Registers a listener that is called when the database becomes read-only, and when it accepts changes again. */
  onReadOnly(listener: (isReadOnly: boolean) => void): void {
    this.#readOnlyListeners.push(listener);
  }

  /**
   * Never throws. If the database does not respond, there is no reading, and its readiness check reports the reason.
   */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#read().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** Undefined while the database does not respond. */
  get reading(): GroundReading | undefined {
    return this.#reading;
  }

  get requiresStandby(): boolean {
    return this.#expectations.requiresStandby;
  }

  get findings(): readonly GroundFinding[] {
    return this.#reading === undefined ? [] : judgeGround(this.#reading, this.#expectations);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#refreshing;
  }

  async #read(): Promise<void> {
    try {
      this.#reading = await withinTime(
        readGround(this.#database),
        readTimeoutMs,
        'The database did not respond in time.',
      );
      this.#noteReadOnly(this.#reading.isReadOnly);
    } catch {
      this.#reading = undefined;
    }
  }

  #noteReadOnly(isReadOnly: boolean): void {
    if (isReadOnly === this.#isReadOnly) return;
    this.#isReadOnly = isReadOnly;
    for (const listener of this.#readOnlyListeners) listener(isReadOnly);
  }
}
