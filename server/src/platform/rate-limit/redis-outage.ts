import { redisReason } from './redis-failure.ts';

/** A break that is shorter than this is not reported. Requests do not notice it. */
const unnoticedMs = 2_000;

/** Tracks whether Redis is reachable, and reports each outage once and each recovery once. */
export class RedisOutage {
  readonly #report: (reason: string | undefined) => void;
  #downSince: number | undefined = performance.now();
  #error: unknown;
  #isReported = false;

  /** `report` receives the reason of an outage, or undefined when Redis is reachable again. */
  constructor(report: (reason: string | undefined) => void = () => undefined) {
    this.#report = report;
  }

  /** The reason, from when the outage was reported until it is over. */
  get reason(): string | undefined {
    return this.#isReported ? redisReason(this.#error) : undefined;
  }

  noteError(error: unknown): void {
    this.#error = error;
  }

  /** Called with every heartbeat, and at every change. */
  note(isUp: boolean): void {
    if (isUp) {
      this.#downSince = undefined;
      this.#error = undefined;
      if (!this.#isReported) return;
      this.#isReported = false;
      this.#report(undefined);
      return;
    }
    this.#downSince ??= performance.now();
    if (this.#isReported || performance.now() - this.#downSince < unnoticedMs) return;
    this.#isReported = true;
    this.#report(redisReason(this.#error));
  }
}
