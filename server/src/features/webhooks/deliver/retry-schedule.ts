const minute = 60;
const hour = 60 * minute;

/** The delays after which an event is sent again, in seconds, as Standard Webhooks recommends. */
const delays = [5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour] as const;

/** How many requests in a row must fail for an endpoint to count as failing. It is as many as can be in flight. */
export const failuresMax = 8;
const probeSecondsMin = 5;
const probeSecondsMax = 30 * minute;
/** The longest that `Retry-After` can delay an endpoint. A longer delay would look like a lost event. */
const retryAfterSecondsMax = 24 * hour;

/** Returns the delay after an event was sent so many times; undefined if it is put aside. */
export function delayAfter(attempts: number): number | undefined {
  return delays[attempts - 1];
}

/**
 * Returns the delay before the next request to an endpoint that has been failing for so long. It grows with the length
 * of the failure, so that a short outage ends soon and a long one costs little.
 */
export function probeDelay(failingSeconds: number): number {
  return Math.min(Math.max(failingSeconds / 4, probeSecondsMin), probeSecondsMax);
}

/**
 * Parses `Retry-After`, which is a number of seconds or a date (RFC 9110 §10.2.3). Returns the delay in seconds;
 * undefined if there is none.
 */
export function parseRetryAfter(text: string | undefined, now: Date): number | undefined {
  if (text === undefined) return undefined;
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : (Date.parse(text) - now.getTime()) / 1_000;
  return seconds > 0 ? Math.min(Math.ceil(seconds), retryAfterSecondsMax) : undefined;
}
