import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { LocalPostgres } from '../../server/src/platform/local-postgres/local-postgres.ts';

/** The processor time of each process of a PostgreSQL server, in milliseconds. */
export type ProcessorTimes = ReadonlyMap<string, number>;

export async function readProcessorTimes({ dataDirectory }: LocalPostgres): Promise<ProcessorTimes> {
  const [parent = ''] = (await readFile(path.join(dataDirectory, 'postmaster.pid'), 'utf8')).split('\n', 1);
  const children = (await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8')).split(' ').filter(Boolean);
  const times = children.map(async (child) => {
    // The first number is in nanoseconds. The process may already have ended.
    const text = await readFile(`/proc/${child}/schedstat`, 'utf8').catch(() => '0');
    return [child, Number(text.split(' ', 1)[0]) / 1_000_000] as const;
  });
  return new Map(await Promise.all(times));
}

/**
 * Adds up the processor time of processes that are still running. Those that have ended in the meantime were autovacuum
 * workers or idle connections.
 */
export function processorMsBetween(before: ProcessorTimes, after: ProcessorTimes): number {
  return [...after].reduce((sum, [process, ms]) => sum + Math.max(0, ms - (before.get(process) ?? 0)), 0);
}
