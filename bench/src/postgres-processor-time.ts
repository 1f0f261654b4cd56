import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { LocalPostgres } from '../../server/src/platform/local-postgres/local-postgres.ts';

/** The unit of the times in `/proc/<pid>/stat`, of which there are a hundred in a second. */
const tickMs = 10;

/**
 * Returns the processor time that the processes of a PostgreSQL server have used so far, in milliseconds. It includes
 * processes that have ended, whose time is added to that of their parent.
 */
export async function postgresProcessorMs({ dataDirectory }: LocalPostgres): Promise<number> {
  const parent = await postmasterOf(dataDirectory);
  const children = (await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8')).split(' ').filter(Boolean);
  const running = await Promise.all(children.map(runningMs));
  return running.reduce((sum, ms) => sum + ms, await endedMs(parent));
}

async function runningMs(child: string): Promise<number> {
  // The first number is in nanoseconds. The process may already have ended.
  const text = await readFile(`/proc/${child}/schedstat`, 'utf8').catch(() => '0');
  return Number(text.split(' ', 1)[0]) / 1_000_000;
}

/**
 * Returns the processor time of the processes of a PostgreSQL server that have ended, in milliseconds. A connection is
 * only included once the server has noticed that it ended.
 */
export async function endedPostgresMs({ dataDirectory }: LocalPostgres): Promise<number> {
  return endedMs(await postmasterOf(dataDirectory));
}

async function postmasterOf(dataDirectory: string): Promise<string> {
  const [parent = ''] = (await readFile(path.join(dataDirectory, 'postmaster.pid'), 'utf8')).split('\n', 1);
  return parent;
}

/** Returns the user and system time of the children that have ended: fields 16 and 17 of proc(5). */
export async function endedMs(parent: string): Promise<number> {
  const stat = await readFile(`/proc/${parent}/stat`, 'utf8');
  // The second field is a name in parentheses, which may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * tickMs;
}
