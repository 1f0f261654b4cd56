import { setTimeout as pause } from 'node:timers/promises';
import { vi } from 'vitest';
import { slowdown } from './slowdown.ts';

/**
 * How long a test waits for something that must come. Far longer than it takes, also on a machine with ten times more work
 * than processors: only a test that would wait for ever meets it.
 */
export const patienceMs = 120_000 * slowdown;
/** What a vault in a test allows its database, for the same reason. */
export const databaseTimeoutSeconds = Math.min(600, patienceMs / 1_000);
/** The most that a vault may be told to allow a request, and what one in a test does. */
export const requestTimeoutSeconds = 30;
/** Pauses grow: what comes soon is seen at once, and what takes seconds is not kept from it by the asking. */
const pauseMinMs = 2;
const pauseMaxMs = 50;
const pauseGrowth = 1.3;
const attemptsMax = 10;

/**
 * Asks again and again until the answer is the wanted one; returns how many milliseconds that took.
 * Past the deadline it throws, so that a test that waits for something that never comes says so.
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

/** The same for a check that throws until it holds, which then says what was wrong at last. */
export function untilPasses<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: patienceMs, interval: 20 });
}

/**
 * The shortest of a few measurements, for a promise in time: other work on the machine only adds to it. Ends with the first
 * that is short enough.
 */
export async function fastest(measure: () => Promise<number>, options: { readonly enoughMs: number }): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attemptsMax && shortest >= options.enoughMs; attempt += 1) {
    shortest = Math.min(shortest, await measure());
  }
  return shortest;
}
