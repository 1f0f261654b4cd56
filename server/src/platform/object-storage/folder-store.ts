import { mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '../../core/errors/thrown.ts';
import { type ObjectStore, ObjectStoreError, tooLarge } from './object-store.ts';

/** Stores files in a folder. Only the user of the process can read them. */
export class FolderStore implements ObjectStore {
  readonly name: string;

  constructor(folder: string) {
    this.name = folder;
  }

  async put(key: string, content: Buffer): Promise<void> {
    await this.#orThrow(key, async () => {
      const file = path.join(this.name, key);
      const folder = path.dirname(file);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const unfinished = `${file}.part`;
      // The name becomes visible only with the whole content, and lasts only if its folder is on the disk as well.
      await rm(unfinished, { force: true });
      await writeDurably(unfinished, content);
      await rename(unfinished, file);
      for (const each of [folder, path.dirname(folder)]) await sync(each);
    });
  }

  async get(key: string, bytesMax: number): Promise<Buffer | undefined> {
    return this.#orThrow(key, async () => {
      const handle = await open(path.join(this.name, key), 'r').catch((error: unknown) => {
        if (codeOf(error) === 'ENOENT') return undefined;
        throw error;
      });
      if (handle === undefined) return undefined;
      try {
        if ((await handle.stat()).size > bytesMax) throw tooLarge(this.name, key, bytesMax);
        return await handle.readFile();
      } finally {
        await handle.close();
      }
    });
  }

  /** Folders that are empty afterwards go as well. */
  async delete(key: string): Promise<void> {
    await this.#orThrow(key, async () => {
      const file = path.join(this.name, key);
      await rm(file, { force: true });
      for (let folder = path.dirname(file); folder !== path.normalize(this.name); folder = path.dirname(folder))
        if (!(await removeIfEmpty(folder))) break;
    });
  }

  async listFolders(max: number): Promise<string[]> {
    return this.#orThrow('.', async () => {
      const entries = await readdir(this.name, { withFileTypes: true }).catch((error: unknown) => {
        if (codeOf(error) === 'ENOENT') return [];
        throw error;
      });
      return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).slice(0, max);
    });
  }

  /** Nothing stays open between two files. */
  close(): void {}

  async #orThrow<T>(key: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ObjectStoreError) throw error;
      throw new ObjectStoreError(`${path.join(this.name, key)} cannot be used: ${codeOf(error) ?? 'unknown error'}.`, {
        cause: error,
      });
    }
  }
}

async function writeDurably(file: string, content: Buffer): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function removeIfEmpty(folder: string): Promise<boolean> {
  return rmdir(folder).then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === 'ENOENT') return true;
      if (codeOf(error) === 'ENOTEMPTY') return false;
      throw error;
    },
  );
}

async function sync(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
