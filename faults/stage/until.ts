import { setTimeout as pause } from 'node:timers/promises';

/** Asks until the answer is yes; throws, naming what it waited for, if that takes longer than allowed. Returns the seconds. */
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
