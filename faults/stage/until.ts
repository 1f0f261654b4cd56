import { setTimeout as pause } from 'node:timers/promises';

/**
 * Polls until the condition is true and returns the elapsed seconds. Throws after the deadline, with a description of
 * the condition.
 */
export async function until(
  waitingFor: string,
  secondsMax: number,
  isTrue: () => Promise<boolean> | boolean,
): Promise<number> {
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1_000;
  while (seconds() < secondsMax) {
    if (await isTrue()) return seconds();
    await pause(100);
  }
  throw new Error(`Waited ${secondsMax} seconds in vain for ${waitingFor}.`);
}
