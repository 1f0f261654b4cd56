/**
 * Work that can be suspended and resumed: it yields wherever another request may run in between. Its driver decides
 * whether to pause there, so that the same code handles a short text at once and a long one over several turns.
 */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Runs to completion now. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
