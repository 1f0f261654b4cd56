import { setTimeout as pause } from 'node:timers/promises';
import { DomainError } from '../../../core/errors/domain-error.ts';
import { TimeBudget } from '../../../platform/waiting/time-budget.ts';

/** Not counted in attempts alone: a slow server would lose all of them to a fast one that writes the same token. */
const patienceMs = 10_000;
const attemptsMin = 20;
const pauseMaxMs = 50;

/** Looks at a token again while others change it between the look and the write; `attempt` returns undefined then. */
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
    // By chance, so that two servers do not meet again and again.
    await pause(Math.random() * Math.min(attempts, pauseMaxMs));
  }
}
