import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { OperatorError } from '../../../core/errors/operator-error.ts';
import { sha256 } from '../../../platform/keyring/sealing/sha256.ts';
import type { BundleFile, manifestName } from './evidence-manifest.ts';
import { describeFile, type FileDescription } from './file-description.ts';

type FileName = BundleFile | typeof manifestName;

/** A place where a bundle is written. */
export interface BundleTarget {
  /** Adds text to the end of a file. The first text creates the file. */
  append(name: FileName, text: string): Promise<void>;
  describe(name: BundleFile): Promise<FileDescription>;
}

/** Writes a bundle to a folder in which none of its files exists. */
export class FolderTarget implements BundleTarget {
  readonly #directory: string;
  readonly #opened = new Map<FileName, FileHandle>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  async append(name: FileName, text: string): Promise<void> {
    const file = this.#opened.get(name) ?? (await open(path.join(this.#directory, name), 'wx', 0o600));
    this.#opened.set(name, file);
    await file.writeFile(text);
  }

  describe(name: BundleFile): Promise<FileDescription> {
    return describeFile(this.#directory, name);
  }

  async close(): Promise<void> {
    for (const file of this.#opened.values()) await file.close();
  }
}

/** Keeps a bundle in memory, because workers may have no disk to write to. */
export class MemoryTarget implements BundleTarget {
  readonly #bytesMax: number;
  readonly #chunks = new Map<FileName, Buffer[]>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  append(name: FileName, text: string): Promise<void> {
    const chunk = Buffer.from(text);
    this.#bytes += chunk.length;
    if (this.#bytes > this.#bytesMax)
      throw new OperatorError(
        `The evidence has more than ${this.#bytesMax} bytes, which is too much for a job. Run \`strongroom evidence\` instead.`,
      );
    const chunks = this.#chunks.get(name) ?? [];
    this.#chunks.set(name, chunks);
    chunks.push(chunk);
    return Promise.resolve();
  }

  describe(name: BundleFile): Promise<FileDescription> {
    const content = this.read(name);
    return Promise.resolve({ name, bytes: content.length, sha256: sha256(content).toString('hex') });
  }

  read(name: FileName): Buffer {
    return Buffer.concat(this.#chunks.get(name) ?? []);
  }
}
