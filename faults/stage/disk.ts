import { chmod, mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runCommand } from './run-command.ts';

/** The number of pages that each attempt leaves free for concurrent writers: none at first, then more and more. */
const sparedPages = [0, 256, 1_024, 4_096, 16_384];

/** A separate in-memory file system that can be filled up. */
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

  /** Fills the disk completely, or almost completely if another process keeps writing. */
  async fill(): Promise<void> {
    for (const spared of sparedPages) if (await this.#tryToFill(spared)) return;
    throw new Error(`${this.folder} could not be filled.`);
  }

  async free(): Promise<void> {
    await rm(this.#ballast, { force: true });
  }

  async #tryToFill(spared: number): Promise<boolean> {
    await writeFile(this.#ballast, '');
    const { bavail, bsize } = await statfs(this.folder);
    const bytes = Math.max(1, bavail - spared) * bsize;
    return runCommand('fallocate', ['-l', String(bytes), this.#ballast]).then(
      () => true,
      (error: unknown) => {
        if (String(error).includes('No space')) return false;
        throw error;
      },
    );
  }

  get #ballast(): string {
    return path.join(this.folder, 'ballast');
  }
}
