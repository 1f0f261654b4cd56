import { type FileHandle, open, rm } from 'node:fs/promises';

interface NewFile {
  readonly path: string;
  readonly handle: FileHandle;
}

/**
 * The two files of an export. Existing files are rejected, so both were created by this run and can be removed safely.
 */
export class ExportFiles {
  readonly output: NewFile;
  readonly manifest: NewFile;

  static async create(outputPath: string): Promise<ExportFiles> {
    const output = await create(outputPath);
    try {
      return new ExportFiles(output, await create(`${outputPath}.manifest`));
    } catch (error) {
      await remove(output);
      throw error;
    }
  }

  private constructor(output: NewFile, manifest: NewFile) {
    this.output = output;
    this.manifest = manifest;
  }

  async close(): Promise<void> {
    await Promise.all([this.output.handle.close(), this.manifest.handle.close()]);
  }

  /** Closes and removes the files. */
  async remove(): Promise<void> {
    await Promise.all([remove(this.output), remove(this.manifest)]);
  }
}

async function create(path: string): Promise<NewFile> {
  const handle = await open(path, 'wx+', 0o600).catch((error: unknown) => {
    throw new Error(`${path} cannot be written or already exists. Name another file with --output.`, { cause: error });
  });
  return { path, handle };
}

async function remove({ path, handle }: NewFile): Promise<void> {
  await handle.close();
  await rm(path, { force: true });
}
