import type { DatabaseConfig } from '../platform/config/config.ts';
import type { DatabaseOptions } from '../platform/database/database.ts';

/** A connection is waited for half as long as a statement may take. */
export function timeLimitsOf({
  timeoutSeconds,
}: DatabaseConfig): Pick<DatabaseOptions, 'acquireTimeoutMs' | 'statementTimeoutMs'> {
  return { acquireTimeoutMs: timeoutSeconds * 500, statementTimeoutMs: timeoutSeconds * 1_000 };
}
