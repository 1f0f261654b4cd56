import type { DatabaseConfig } from '../../platform/config/database-settings.ts';
import type { DatabaseOptions } from '../../platform/database/database.ts';

/** The share of a request's time that a statement may take, so that enough time remains to send an error response. */
const shareOfRequest = 0.9;

/** Limits the timeout for a server, because nobody waits for a statement that takes longer than a request may. */
export function withinRequests(database: DatabaseConfig, requestTimeoutSeconds: number): DatabaseConfig {
  return { ...database, timeoutSeconds: Math.min(database.timeoutSeconds, requestTimeoutSeconds * shareOfRequest) };
}

/** Returns the time limits of a pool. The wait for a connection is half as long as the limit for a statement. */
export function timeLimitsOf({
  timeoutSeconds,
}: DatabaseConfig): Pick<DatabaseOptions, 'acquireTimeoutMs' | 'statementTimeoutMs'> {
  return { acquireTimeoutMs: Math.trunc(timeoutSeconds * 500), statementTimeoutMs: Math.trunc(timeoutSeconds * 1_000) };
}
