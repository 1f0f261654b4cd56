import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Creates a folder that every user of this machine can read, because PostgreSQL does not run as root. */
export async function makeScratchFolder(name: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), `strongroom-${name}-`));
  await chmod(folder, 0o755);
  return folder;
}
