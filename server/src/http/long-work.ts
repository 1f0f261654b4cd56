/**
 * What takes longer than the time limit of requests for a reason, and how many seconds it has in addition to it. These are all
 * exceptions: a route names one in `moreTimeFor`. Once a response has begun, as that of an export, no limit counts.
 */
export const longWork = {
  /** A destination has 25 seconds; see `outboundLimits`. */
  'proxy-call': 25,
  /** An export looks for its first records, and a report reads up to 100,000, in a log of any size. */
  'log-reading': 45,
} as const;

export type LongWork = keyof typeof longWork;

/** How long a request to a route may take. */
export function timeLimitMs(limitSeconds: number, work: LongWork | undefined): number {
  return 1_000 * (limitSeconds + (work === undefined ? 0 : longWork[work]));
}

/** The longest that any request may take. */
export function longestTimeMs(limitSeconds: number): number {
  return 1_000 * (limitSeconds + Math.max(...Object.values(longWork)));
}
