/**
 * Work that can be suspended and resumed. It yields at points where another request may run. Its driver decides whether
 * to pause there, so the same code handles a short text at once and a long one over several turns.
 */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Runs to completion now. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
