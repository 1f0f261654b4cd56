import type { FastifyContextConfig } from 'fastify';
import type { RateLimit, RateLimitScope } from '../../platform/rate-limit/rate-limit-table.ts';
import { permissionsNeeded } from '../routes/route-config.ts';

/**
 * Describes the permission and the rate limit of a route for the reference. The text is derived from what the edge
 * enforces.
 */
export function describeTerms(
  config: FastifyContextConfig | undefined,
  limitOf: ((scope: RateLimitScope) => RateLimit) | undefined,
): string {
  return [`**Permission:** ${describePermission(config)}`, `**Rate limit:** ${describeLimit(config, limitOf)}`].join(
    '\n\n',
  );
}

function describePermission(config: FastifyContextConfig | undefined): string {
  const permissions = permissionsNeeded(config).map((permission) => `\`${permission}\``);
  return permissions.length === 0 ? 'none, any valid key' : permissions.join(' and ');
}

function describeLimit(
  config: FastifyContextConfig | undefined,
  limitOf: ((scope: RateLimitScope) => RateLimit) | undefined,
): string {
  if (limitOf === undefined) return 'none, this server does not limit requests';
  const scope = config?.rateLimit ?? 'global';
  const { limit, windowMs } = limitOf(scope);
  return `\`${scope}\`, ${limit.toLocaleString('en')} requests in ${windowMs / 1_000} seconds per client address`;
}
