import { setTimeout as pause } from 'node:timers/promises';
import { DomainError } from '../../../core/errors/domain-error.ts';
import { TimeBudget } from '../../../platform/waiting/time-budget.ts';

/**
 * Retries are limited by time as well as by attempts. Otherwise a slow server would lose all of its attempts to a fast
 * one that writes the same token.
 */
const patienceMs = 10_000;
const attemptsMin = 20;
const pauseMaxMs = 50;

/** Retries while others change the token between read and write, in which case `attempt` returns undefined. */
export async function untilNotOvertaken<T>(
  attempt: () => Promise<T | undefined>,
  budget = new TimeBudget(patienceMs),
): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    const result = await attempt();
    if (result !== undefined) return result;
    if (attempts >= attemptsMin && budget.isSpent) {
      throw new DomainError('version-conflict', 'Other requests are changing this token. Try again.');
    }
    // The delay is random, so that two servers do not collide again and again.
    await pause(Math.random() * Math.min(attempts, pauseMaxMs));
  }
}
