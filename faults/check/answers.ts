import type { Entry } from '../load/history.ts';
import type { Check } from './check.ts';
import { findClearTimes } from './clear-time.ts';

/** No request takes longer: ten seconds of its own, and what a busy machine adds. */
const longestMs = 16_000;
/** The proxy may wait for a destination for 25 seconds. */
const longestProxyMs = 32_000;

/** How long a server waits for the head of a request at least. */
const arrivalMs = 10_000;

const refusals = [400, 401, 403, 404, 409];

/** Clients get what they asked for, or 503 in time; nothing else, whatever is broken. */
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

/** Some operations are refused by their nature: reading what was deleted, or using what has ended. */
function isExpected({ operation, status, startedAt, endedAt }: Entry, isTimeClear: boolean): boolean {
  // A server that was frozen meanwhile has waited for the rest of the request, as far as it knows.
  if (status === 408) return endedAt - startedAt > arrivalMs;
  if (!refusals.includes(status)) return false;
  if (operation === 'get' || operation === 'patch' || operation === 'delete') return status === 404 || status === 409;
  if (operation === 'session-use' || operation === 'key-use') return status === 401;
  // Where a clock is ahead, the end that a session is to have is over already, or the session itself.
  if (operation === 'session-authorize') return (status === 400 || status === 404) && !isTimeClear;
  // Attempts whose outcome nobody knew, made again: the key is gone, or keys are left that nobody knows.
  if (operation === 'key-revoke') return status === 404;
  if (operation === 'key-create') return status === 400;
  return false;
}
