/**
 * Work that can be left and taken up again: it yields wherever another request may run in between. What drives it decides
 * whether it pauses there, so that the same code serves a short text at once and a long one over several turns.
 */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Does all of it now. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
