/** Runs work later; the answer calls it off. */
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
 * Goes on evenly when somebody sets the machine's clock. Only differences matter: a clock that was put back must not
 * prolong the life of a key, and one that was put forward must not end it.
 */
export const steadyNow = (): number => performance.now();
