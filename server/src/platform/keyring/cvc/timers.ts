/** Runs work after a delay. The returned function cancels it. */
export interface Timers {
  after(delayMs: number, work: () => void): () => void;
}

/** Timers that do not keep the process alive. */
export const systemTimers: Timers = {
  after(delayMs, work) {
    const timer = setTimeout(work, Math.max(0, delayMs)).unref();
    return () => clearTimeout(timer);
  },
};

/**
 * Returns a time that is not affected by changes to the system clock. It is used only to measure durations. Setting the
 * system clock back must not prolong the life of a key, and setting it forward must not end it.
 */
export const steadyNow = (): number => performance.now();
