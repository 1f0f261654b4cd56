import { until } from '../stage/until.ts';
import type { Check } from './check.ts';

const cardsMax = 50;
const hourSeconds = 3_600;
const readableSecondsMax = 30;

/** Codes must be readable for an hour. If clocks disagree, a code may expire early. */
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

/** Codes must not be readable after an hour. This check moves the clocks of all machines forward, so it runs last. */
export const codesLaterCheck: Check = {
  name: 'codes of cards do not open after an hour',
  run: async ({ entries, cluster, tenant }) => {
    const findings: string[] = [];
    const cards = entries
      .filter(({ operation, outcome }) => operation === 'card' && outcome === 'done')
      .slice(-cardsMax);
    const machines = [...cluster.databases, ...cluster.applications];
    await Promise.all(machines.map(({ faults }) => faults.setClock(hourSeconds + 60)));
    for (const { facts } of cards) {
      const id = String(facts['id']);
      let text = '';
      // PostgreSQL cancels running work when its clock jumps, so requests may fail for a moment.
      await until(`${id} to be readable`, readableSecondsMax, async () => {
        const response = await fetch(`${cluster.url}/tokens/${id}`, { headers: { 'bt-api-key': tenant.private } });
        text = await response.text();
        return response.status === 200;
      }).catch(() => findings.push(`${id} cannot be read: ${text}`));
      if (text.includes('"cvc"')) findings.push(`the code of ${id} opens after an hour`);
    }
    await Promise.all(machines.map(({ faults }) => faults.setClock(0)));
    return findings;
  },
};
