import type { DatabaseConfig } from '../platform/config/config.ts';
import { Database } from '../platform/database/database.ts';
import { timeLimitsOf } from './database-time-limits.ts';
import type { Finding } from './finding.ts';

/** A database to look at, one thing after the other. */
export function openForExamination(config: DatabaseConfig): Database {
  return new Database({
    url: config.url,
    connectionsMax: 1,
    queueMax: 1,
    ...timeLimitsOf(config),
    applicationName: 'strongroom doctor',
    requiresStandby: config.requiresStandby,
  });
}

/** What was found, or what stood in the way. */
export async function attempt<T>(
  name: string,
  work: () => Promise<T>,
): Promise<{ value: T | undefined; finding: Finding }> {
  try {
    return { value: await work(), finding: { name, isOk: true, detail: '' } };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { value: undefined, finding: { name, isOk: false, detail } };
  }
}
