import type { Check } from './check.ts';
import { findClearTimes } from './clear-time.ts';

/** The maximum time for which a revoked key may still work on another server, with a margin for a busy machine. */
const revocationMs = 2_000;
/** The tolerance for the expiry of a session. */
const expiryMs = 1_500;

/** Keys must work until they are revoked and sessions until they expire, but not afterwards. */
export const rightsCheck: Check = {
  name: 'keys and sessions work as long as they should, and no longer',
  run: ({ entries, injected, slowness }) => {
    const findings: string[] = [];
    const revoked = new Map(
      entries
        .filter(({ operation, outcome }) => operation === 'key-revoke' && outcome === 'done')
        .map(({ facts, endedAt }) => [facts['keyId'], endedAt] as const),
    );
    // The first attempt may have succeeded, so the time is measured from its start.
    const asked = new Map(
      entries
        .filter(({ operation }) => operation === 'key-revoke')
        .toReversed()
        .map(({ facts, startedAt }) => [facts['keyId'], startedAt] as const),
    );
    for (const { facts, status, outcome, startedAt, endedAt } of entries.filter(
      ({ operation }) => operation === 'key-use',
    )) {
      const end = revoked.get(facts['keyId']) ?? Number.POSITIVE_INFINITY;
      const begin = asked.get(facts['keyId']) ?? Number.POSITIVE_INFINITY;
      if (outcome === 'done' && startedAt > end + revocationMs * slowness(end, startedAt))
        findings.push(`a key worked ${startedAt - end} ms after it was revoked`);
      if (status === 401 && endedAt < begin) findings.push('a key was refused before anybody revoked it');
    }
    const isClear = findClearTimes(injected);
    for (const entry of entries.filter(({ operation }) => operation === 'session-use').filter(isClear)) {
      const expiresAt = Number(entry.facts['expiresAt']);
      const tolerance = expiryMs * slowness(entry.startedAt, entry.endedAt);
      if (entry.outcome === 'done' && entry.startedAt > expiresAt + tolerance) {
        findings.push(`a session worked ${entry.startedAt - expiresAt} ms after its end`);
      }
      if (entry.status === 401 && entry.endedAt < expiresAt - tolerance)
        findings.push('a session was refused before its end');
    }
    return findings;
  },
};
