import type { Check } from './check.ts';

/** Clocks that disagree may end a code early. */
export const codesCheck: Check = {
  name: 'codes of cards open for an hour',
  run: ({ entries, injected }) => {
    const findings: string[] = [];
    const unclear = injected.filter(({ makesTimeUnclear }) => makesTimeUnclear).map(({ beganAt }) => beganAt);
    const firstUnclear = Math.min(Number.POSITIVE_INFINITY, ...unclear);
    for (const { operation, outcome, facts, startedAt } of entries) {
      if (operation !== 'code' || outcome !== 'done' || startedAt > firstUnclear) continue;
      if (facts['code'] !== 'right') findings.push(`the code of ${String(facts['id'])} is ${String(facts['code'])}`);
    }
    return findings;
  },
};
