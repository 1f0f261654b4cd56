/** What the event loop did between two looks at it. Milliseconds of this thread's processor time. */
export interface TurnReport {
  /** The longest time in which nothing else could run. Collecting garbage on this thread counts. */
  readonly longestMs: number;
  readonly totalMs: number;
  readonly turns: number;
}

/**
 * Measures turns of the event loop by the processor time of its thread, which neighbours on the same machine do not
 * change. While it measures, the loop never sleeps: an immediate that renews itself looks at the clock once a turn.
 */
export class TurnMeter {
  #isOn = false;
  #started = 0;
  #last = 0;
  #longest = 0;
  #turns = 0;

  begin(): void {
    this.#isOn = true;
    this.#longest = 0;
    this.#turns = 0;
    this.#started = processorMicroseconds();
    this.#last = this.#started;
    setImmediate(this.#look);
  }

  end(): TurnReport {
    this.#isOn = false;
    this.#note();
    return { longestMs: this.#longest / 1_000, totalMs: (this.#last - this.#started) / 1_000, turns: this.#turns };
  }

  readonly #look = (): void => {
    if (!this.#isOn) return;
    this.#note();
    setImmediate(this.#look);
  };

  #note(): void {
    const now = processorMicroseconds();
    this.#longest = Math.max(this.#longest, now - this.#last);
    this.#last = now;
    this.#turns += 1;
  }
}

function processorMicroseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
