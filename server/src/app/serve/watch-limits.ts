import type { GroundFinding } from '../../platform/database/ground/ground-finding.ts';
import { redisAdvice } from '../../platform/rate-limit/redis-failure.ts';
import type { RateLimiter, RateLimiterOptions } from '../../platform/rate-limit/rate-limiter.ts';
import { adviceFor, type RejectedClient, rejectionsName } from '../../platform/rate-limit/rejected-clients.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';

const namedMax = 3;

/** Returns listeners that log when Redis is unreachable, and which clients reach a limit. */
export function limitLog(logger: Logger): Pick<RateLimiterOptions, 'onRedis' | 'onReject'> {
  return {
    onRedis: (reason) => {
      if (reason === undefined) return logger.warn('Redis back');
      logger.error(`Redis unreachable, so each server applies its share of every rate limit: ${reason}`, {
        advice: redisAdvice,
      });
    },
    onReject: (client) => {
      logger.warn('rate limit reached', {
        limit: client.scope,
        client: client.client,
        ...(client.proxyId === undefined ? {} : { proxy: client.proxyId }),
        count: client.limit.limit,
        seconds: client.limit.windowMs / 1_000,
        advice: adviceFor(client),
      });
    },
  };
}

/** Returns what is degraded about the rate limits of this server. */
export function limitFindings(limiter: RateLimiter): GroundFinding[] {
  const { outage, rejected } = limiter;
  const findings: GroundFinding[] = [];
  if (outage !== undefined) {
    findings.push({
      name: 'Redis',
      verdict: 'fail',
      detail: `unreachable: ${outage}`,
      promise: 'all servers count the requests of a client together',
      remedy: redisAdvice,
    });
  }
  const [last] = rejected;
  if (last !== undefined) {
    findings.push({
      name: rejectionsName,
      verdict: 'warn',
      detail: describe(rejected),
      promise: 'no client is slowed down',
      remedy: adviceFor(last),
    });
  }
  return findings;
}

function describe(rejected: readonly RejectedClient[]): string {
  const named = rejected
    .slice(0, namedMax)
    .map(
      ({ scope, limit, client, proxyId, rejections }) =>
        `${client} reached ${scope}${proxyId === undefined ? '' : ` of ${proxyId}`} (${limit.limit} in ${limit.windowMs / 1_000} s), ${rejections} requests rejected`,
    );
  const more = rejected.length - namedMax;
  return `in the last 15 minutes, ${named.join('; ')}${more > 0 ? `; and ${more} more clients` : ''}`;
}
