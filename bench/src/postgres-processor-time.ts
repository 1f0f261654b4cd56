import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { LocalPostgres } from '../../server/src/platform/local-postgres/local-postgres.ts';

/**
 * Processor time in milliseconds that the processes of a PostgreSQL server have used which are there now, connections and writers
 * alike. One that has ended, such as a run of autovacuum, is not counted any more.
 */
export async function processorMsOf({ dataDirectory }: LocalPostgres): Promise<number> {
  const [parent = ''] = (await readFile(path.join(dataDirectory, 'postmaster.pid'), 'utf8')).split('\n', 1);
  const children = (await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8')).split(' ').filter(Boolean);
  const times = await Promise.all(
    children.map((child) => readFile(`/proc/${child}/schedstat`, 'utf8').catch(() => '0')),
  );
  return times.reduce((sum, text) => sum + Number(text.split(' ', 1)[0]), 0) / 1_000_000;
}
