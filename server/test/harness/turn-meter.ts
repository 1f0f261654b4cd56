/** What the event loop did between two looks at it. Milliseconds of this thread's processor time. */
export interface TurnReport {
  /** The longest time in which nothing else could run. Collecting garbage on this thread counts. */
  readonly longestMs: number;
  readonly totalMs: number;
  /** What turns took that did something: while a request waits for the database, the loop turns without work. */
  readonly workMs: number;
  readonly turns: number;
}

/** A turn without work takes a few microseconds, and a tenth of this on a machine whose caches are busy. */
const idleTurnMaxMicroseconds = 100;

/**
 * Measures turns of the event loop by the processor time of its thread, which neighbours on the same machine do not
 * change. While it measures, the loop never sleeps: an immediate that renews itself looks at the clock once a turn.
 */
export class TurnMeter {
  #isOn = false;
  #started = 0;
  #last = 0;
  #longest = 0;
  #work = 0;
  #turns = 0;

  begin(): void {
    this.#isOn = true;
    this.#longest = 0;
    this.#work = 0;
    this.#turns = 0;
    this.#started = processorMicroseconds();
    this.#last = this.#started;
    setImmediate(this.#look);
  }

  end(): TurnReport {
    this.#isOn = false;
    this.#note();
    return {
      longestMs: this.#longest / 1_000,
      totalMs: (this.#last - this.#started) / 1_000,
      workMs: this.#work / 1_000,
      turns: this.#turns,
    };
  }

  readonly #look = (): void => {
    if (!this.#isOn) return;
    this.#note();
    setImmediate(this.#look);
  };

  #note(): void {
    const now = processorMicroseconds();
    const turn = now - this.#last;
    this.#longest = Math.max(this.#longest, turn);
    if (turn > idleTurnMaxMicroseconds) this.#work += turn;
    this.#last = now;
    this.#turns += 1;
  }
}

function processorMicroseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
