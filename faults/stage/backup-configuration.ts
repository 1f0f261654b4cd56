import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { makeFolderFor } from './folders.ts';
import type { Host } from './host.ts';

const recipe = path.resolve(import.meta.dirname, '../../deploy/high-availability/pgbackrest.conf');

/** Returns the recipe's configuration with the folders of one machine. */
export async function describeBackups(
  host: Host,
  folders: { readonly data: string; readonly socket: string; readonly repository: string },
): Promise<string> {
  const [log, lock] = [path.join(host.folder, 'pgbackrest-log'), path.join(host.folder, 'pgbackrest-lock')];
  await Promise.all([log, lock].map((folder) => makeFolderFor('postgres', folder)));
  return (await readFile(recipe, 'utf8'))
    .replace('/var/lib/pgbackrest', folders.repository)
    .replace('/var/log/pgbackrest', log)
    .replace('/run/pgbackrest', lock)
    .replace('/var/lib/postgresql/vault', folders.data)
    .replace('/var/lib/postgresql', folders.socket);
}
