/**
 * Asks again and again, without pausing, until the answer is the wanted one; returns how many milliseconds that took.
 * Past the deadline it throws, so that a test that waits for something that never comes says so.
 */
export async function untilTrue(
  isTrue: () => Promise<boolean> | boolean,
  options: { readonly deadlineMs: number; readonly waitingFor: string },
): Promise<number> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < options.deadlineMs) {
    if (await isTrue()) return performance.now() - startedAt;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`Waited ${options.deadlineMs} ms in vain for ${options.waitingFor}.`);
}
