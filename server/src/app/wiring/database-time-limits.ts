import type { DatabaseConfig } from '../../platform/config/config.ts';
import type { DatabaseOptions } from '../../platform/database/database.ts';

/** What a statement may take of the time of a request, so that the request can still be told how it ended. */
const shareOfRequest = 0.9;

/** For a server: nobody waits for a statement that takes longer than a request may. */
export function withinRequests(database: DatabaseConfig, requestTimeoutSeconds: number): DatabaseConfig {
  return { ...database, timeoutSeconds: Math.min(database.timeoutSeconds, requestTimeoutSeconds * shareOfRequest) };
}

/** A connection is waited for half as long as a statement may take. */
export function timeLimitsOf({
  timeoutSeconds,
}: DatabaseConfig): Pick<DatabaseOptions, 'acquireTimeoutMs' | 'statementTimeoutMs'> {
  return { acquireTimeoutMs: Math.trunc(timeoutSeconds * 500), statementTimeoutMs: Math.trunc(timeoutSeconds * 1_000) };
}
