/** Waits for news about one group of jobs. */
export interface Waking {
  /** Resolves with true if there may be something new, and with false after the time or at the signal. */
  wait(ms: number, signal: AbortSignal): Promise<boolean>;
  stop(): void;
}

/** Wakes the runs of this process that wait for more to do. */
export class Wakings {
  readonly #waiting = new Map<string, { isWoken: boolean; wake: (() => void) | undefined }>();

  /** Wakes every run. A notification does not say which group it is about. */
  wakeAll(): void {
    for (const state of this.#waiting.values()) {
      state.isWoken = true;
      state.wake?.();
    }
  }

  listen(group: string): Waking {
    const state: { isWoken: boolean; wake: (() => void) | undefined } = { isWoken: false, wake: undefined };
    this.#waiting.set(group, state);
    const take = () => {
      const { isWoken } = state;
      state.isWoken = false;
      return isWoken;
    };
    return {
      wait: async (ms, signal) => {
        if (state.isWoken || signal.aborted) return take() && !signal.aborted;
        const { promise, resolve } = Promise.withResolvers<void>();
        state.wake = resolve;
        const timer = setTimeout(resolve, ms);
        signal.addEventListener('abort', () => resolve(), { once: true });
        await promise;
        clearTimeout(timer);
        state.wake = undefined;
        return take() && !signal.aborted;
      },
      stop: () => {
        if (this.#waiting.get(group) === state) this.#waiting.delete(group);
      },
    };
  }
}
