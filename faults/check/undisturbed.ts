import type { Check } from './check.ts';

/** On a machine that is slower than this, requests fail without any fault. */
const slownessMax = 2;

/** Operator actions on a running vault must not disturb any client. */
export const undisturbedCheck: Check = {
  name: 'no request fails where none may',
  run: ({ entries, injected, slowness, say }) => {
    const findings: string[] = [];
    for (const { name, beganAt, healthyAt } of injected.filter(({ failsNobody }) => failsNobody)) {
      if (slowness(beganAt, healthyAt) > slownessMax) {
        say(`not judged, since the machine was too slow: ${name}`);
        continue;
      }
      for (const { operation, status, startedAt, endedAt, detail = '' } of entries) {
        const isWithin = startedAt >= beganAt && endedAt <= healthyAt;
        if (isWithin && (status === 0 || status >= 500))
          findings.push(`${operation} got ${status} ${detail} during: ${name}`);
      }
    }
    return findings;
  },
};
