/** The event loop's activity during a measurement, in milliseconds of this thread's CPU time. */
export interface TurnReport {
  /** The longest time in which nothing else could run. Garbage collection on this thread counts. */
  readonly longestMs: number;
  readonly totalMs: number;
  /** The total time of turns that did work. While a request waits for the database, the loop spins without work. */
  readonly workMs: number;
  readonly turns: number;
}

/**
 * A turn without work takes a few microseconds. On a machine whose caches are under pressure, it takes a tenth of this
 * limit.
 */
const idleTurnMaxMicroseconds = 100;

/**
 * Measures turns of the event loop by the CPU time of its thread, which neighbours on the same machine do not affect.
 * During a measurement the loop never sleeps, because a self-renewing immediate reads the clock once per turn.
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
