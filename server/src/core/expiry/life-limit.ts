import { isCovered } from '../access/container.ts';
import type { ExpiresAt } from './expires-at.ts';

/** The longest that tokens of a container and type may live, from a retention rule. */
export interface LifeLimit {
  /** The limit is about this container and everything in it. Null for every container. */
  readonly container: string | null;
  /** Null for every type. */
  readonly type: string | null;
  readonly days: number;
  readonly effectiveAt: Date;
}

interface Lifetime {
  readonly type: string;
  readonly containers: readonly string[];
  readonly createdAt: Date;
}

export const dayMs = 24 * 3_600_000;

/**
 * Returns the expiry that a token gets: the one that its caller wants, or the end of its longest life if that is
 * earlier. A token without an expiry stays without one. The sweep removes it by its age, so that a rule that changes or
 * a legal hold counts for it too.
 */
export function limitExpiry(
  wanted: ExpiresAt | null,
  { type, containers, createdAt }: Lifetime,
  { limits, now }: { readonly limits: readonly LifeLimit[]; readonly now: Date },
): ExpiresAt | null {
  if (wanted === null) return null;
  const days = limits
    .filter(({ effectiveAt }) => effectiveAt <= now)
    .filter((limit) => limit.type === null || limit.type === type)
    .filter(({ container }) => container === null || containers.some((path) => isCovered(path, container)))
    .map((limit) => limit.days);
  const latest = new Date(createdAt.getTime() + Math.min(...days) * dayMs);
  return days.length === 0 || wanted.instant <= latest ? wanted : { ...wanted, instant: latest };
}
