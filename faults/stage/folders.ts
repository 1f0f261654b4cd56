import { chown, mkdir } from 'node:fs/promises';
import { runCommand } from './run-command.ts';

/** Creates a folder that belongs to a user of this machine. */
export async function makeFolderFor(user: string, folder: string): Promise<void> {
  const [id, group] = await Promise.all(['-u', '-g'].map((flag) => runCommand('id', [flag, user])));
  await mkdir(folder, { recursive: true });
  await chown(folder, Number(id), Number(group));
}
