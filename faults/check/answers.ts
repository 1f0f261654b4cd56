import type { Entry } from '../load/history.ts';
import type { Check } from './check.ts';
import { findClearTimes } from './clear-time.ts';

/** The maximum duration of a request: its limit of ten seconds, plus a margin for a busy machine. */
const longestMs = 16_000;
/** The maximum duration of a proxied call. The proxy may wait 25 seconds for a destination. */
const longestProxyMs = 32_000;

/** The shortest time that a server waits for the head of a request. */
const arrivalMs = 10_000;

const refusals = [400, 401, 403, 404, 409];

/**
 * Whatever the fault, clients must get nothing but a success, an expected refusal or a 503, and must get it in time.
 */
export const answersCheck: Check = {
  name: 'clients get a success, an honest refusal or 503, in time',
  run: ({ entries, injected, slowness }) => {
    const findings: string[] = [];
    const isClear = findClearTimes(injected);
    for (const entry of entries) {
      const { operation, status, detail = '', startedAt, endedAt } = entry;
      const tookMs = endedAt - startedAt;
      const longest = operation === 'proxy' ? longestProxyMs : longestMs;
      if (tookMs > longest && tookMs > longest * slowness(startedAt, endedAt)) {
        findings.push(`${operation} took ${(tookMs / 1_000).toFixed(1)} s (${status} ${detail})`);
      }
      if (status === 500 || status === 501) findings.push(`${operation} got ${status} ${detail}`);
      if (status >= 400 && status < 500 && !isExpected(entry, isClear(entry)))
        findings.push(`${operation} got ${status} ${detail}`);
      if (operation === 'search' && entry.outcome === 'done') {
        const found = entry.facts['found'] as readonly string[];
        if (String(found) !== String(entry.facts['id']))
          findings.push(`a search for ${String(entry.facts['id'])} found [${found.join()}]`);
      }
      if (operation === 'proxy' && entry.facts['isRight'] === false) findings.push('a destination got another value');
      if (operation === 'code' && entry.facts['code'] === 'wrong') findings.push('a card has the code of another one');
      if (operation === 'patch' && entry.outcome === 'done' && entry.facts['seen'] !== entry.facts['value']) {
        findings.push('a patch returned another value than it stored');
      }
    }
    return findings;
  },
};

/** Returns true for refusals that are normal, such as reading a deleted token or using an expired session. */
function isExpected({ operation, status, startedAt, endedAt }: Entry, isTimeClear: boolean): boolean {
  // A server that was frozen in the meantime behaves as if the rest of the request had taken too long to arrive.
  if (status === 408) return endedAt - startedAt > arrivalMs;
  if (!refusals.includes(status)) return false;
  if (operation === 'get' || operation === 'patch' || operation === 'delete') return status === 404 || status === 409;
  if (operation === 'session-use' || operation === 'key-use') return status === 401;
  // If a clock is ahead, the requested end of the session, or the session itself, is already over.
  if (operation === 'session-authorize') return (status === 400 || status === 404) && !isTimeClear;
  // If the outcome of an attempt is unknown, the retry may find that the key is already revoked, or that orphaned keys
  // have used up the limit.
  if (operation === 'key-revoke') return status === 404;
  if (operation === 'key-create') return status === 400;
  return false;
}
