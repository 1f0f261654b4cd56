import { chmod, mkdir, rm, statfs, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runCommand } from './run-command.ts';

/** A file system of its own, in memory, that can be filled. */
export class Disk {
  readonly folder: string;

  static async mount(folder: string, megabytes: number): Promise<Disk> {
    await mkdir(folder, { recursive: true });
    await runCommand('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0777`, 'tmpfs', folder]);
    await chmod(folder, 0o777);
    return new Disk(folder);
  }

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Leaves no room at all. */
  async fill(): Promise<void> {
    const { bavail, bsize } = await statfs(this.folder);
    await writeFile(this.#ballast, '');
    await runCommand('fallocate', ['-l', String(bavail * bsize), this.#ballast]).catch(async (error: unknown) => {
      // Somebody wrote in between: what is left then is little.
      if (!String(error).includes('No space')) throw error;
      await truncate(this.#ballast, 0);
      await runCommand('fallocate', ['-l', String(Math.max(4_096, (bavail - 1_024) * bsize)), this.#ballast]);
    });
  }

  async free(): Promise<void> {
    await rm(this.#ballast, { force: true });
  }

  get #ballast(): string {
    return path.join(this.folder, 'ballast');
  }
}
