import { setTimeout as pause } from 'node:timers/promises';
import { vi } from 'vitest';
import { slowdown } from './slowdown.ts';

/**
 * The time that a test waits for something that must happen. It is far longer than needed, even on a machine with ten
 * times more work than processors. It is reached only by a test that would wait forever.
 */
export const patienceMs = 120_000 * slowdown;
/** The statement timeout of test vaults, which is long for the same reason. */
export const databaseTimeoutSeconds = Math.min(600, patienceMs / 1_000);
/** The longest request timeout that a vault accepts. Test vaults use it. */
export const requestTimeoutSeconds = 30;
/**
 * The pause between checks grows, so that early results are noticed immediately and checks do not slow down work that
 * takes seconds.
 */
const pauseMinMs = 2;
const pauseMaxMs = 50;
const pauseGrowth = 1.3;
const attemptsMax = 10;

/**
 * Polls until the condition is true, and returns the elapsed milliseconds. Throws after the deadline, so that the error
 * names what the test was waiting for.
 */
export async function untilTrue(
  isTrue: () => Promise<boolean> | boolean,
  options: { readonly waitingFor: string; readonly deadlineMs?: number },
): Promise<number> {
  const { waitingFor, deadlineMs = patienceMs } = options;
  const startedAt = performance.now();
  let pauseMs = pauseMinMs;
  while (performance.now() - startedAt < deadlineMs) {
    if (await isTrue()) return performance.now() - startedAt;
    await pause(pauseMs);
    pauseMs = Math.min(pauseMaxMs, pauseMs * pauseGrowth);
  }
  throw new Error(`Waited ${deadlineMs} ms in vain for ${waitingFor}.`);
}

/** Polls a check that throws until it passes. After the deadline, the check's last error is thrown. */
export function untilPasses<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: patienceMs, interval: 20 });
}

/**
 * Returns the shortest of a few measurements, because other work on the machine only adds time. Stops at the first
 * measurement that is short enough.
 */
export async function fastest(measure: () => Promise<number>, options: { readonly enoughMs: number }): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attemptsMax && shortest >= options.enoughMs; attempt += 1) {
    shortest = Math.min(shortest, await measure());
  }
  return shortest;
}
