import { type FileHandle, open, rm } from 'node:fs/promises';
import { codeOf } from '../../core/errors/thrown.ts';

/**
 * Creates a file for this purpose before any work is done, and removes it if the work fails, because a part of it
 * proves nothing. An existing file is never overwritten, because it may be evidence.
 */
export async function withNewFile<T>(
  path: string,
  purpose: string,
  work: (file: FileHandle) => Promise<T>,
): Promise<T> {
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
    throw codeOf(error) === 'EEXIST' ? new Error(`${path} exists already. Name a new file for ${purpose}.`) : error;
  });
  try {
    const result = await work(file);
    await file.sync();
    await file.close();
    return result;
  } catch (error) {
    await file.close();
    await rm(path, { force: true });
    throw error;
  }
}
