import { chown, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { findProcessOwner } from '../../src/platform/local-postgres/postgres-binaries.ts';

/** Creates a directory that the PostgreSQL user may write to. */
export async function makeDirectory(parent: string, name: string): Promise<string> {
  const directory = path.join(parent, name);
  await mkdir(directory, { mode: 0o700 });
  const owner = await findProcessOwner();
  if (owner !== undefined) await chown(directory, owner.uid, owner.gid);
  return directory;
}
