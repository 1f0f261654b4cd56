import { type FileHandle, open } from 'node:fs/promises';
import { readLines } from '../../platform/files/line-reader.ts';
import type { ImportReject } from './import-reject.ts';

export interface RejectedRecord extends ImportReject {
  readonly line: number;
  /** Last line, where the record has several. */
  readonly last_line?: number;
  readonly offset: number;
}

/**
 * One line of JSON for each record that was not taken. It is written before the batch that it belongs to is committed, so
 * an import that was killed may have left lines too many: those go when it is resumed.
 */
export class RejectFile {
  readonly #path: string;
  #file: FileHandle | undefined;
  #length = 0;

  private constructor(path: string) {
    this.#path = path;
  }

  /** A new file comes with the first line. One that is there already is somebody else's. */
  static async begin(path: string): Promise<RejectFile> {
    const found = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    await found?.close();
    if (found !== undefined) {
      throw new Error(`${path} exists already. Move it away, or name another file with --rejects.`);
    }
    return new RejectFile(path);
  }

  /** Keeps what was written about lines that are dealt with. */
  static async resume(path: string, linesDealtWith: number): Promise<RejectFile> {
    const file = new RejectFile(path);
    for await (const text of readLines(path)) {
      const line = lineOf(text);
      if (line === undefined || line > linesDealtWith) break;
      file.#length += Buffer.byteLength(text) + 1;
    }
    return file;
  }

  /** Writes the lines of a batch. Doing so again, because its transaction was tried again, leaves the same. */
  async write(rejects: readonly RejectedRecord[]): Promise<number> {
    if (rejects.length === 0) return this.#length;
    // Created for nobody else to read: it holds no values, but tells which ids exist.
    this.#file ??= await open(this.#path, 'r+').catch(() => open(this.#path, 'w', 0o600));
    const bytes = Buffer.from(rejects.map((reject) => `${JSON.stringify(reject)}\n`).join(''));
    await this.#file.write(bytes, 0, bytes.length, this.#length);
    await this.#file.truncate(this.#length + bytes.length);
    await this.#file.datasync();
    return this.#length + bytes.length;
  }

  /** The batch is committed. */
  keep(length: number): void {
    this.#length = length;
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }
}

function lineOf(text: string): number | undefined {
  try {
    const { line } = JSON.parse(text) as { line?: unknown };
    return typeof line === 'number' ? line : undefined;
  } catch {
    // The last line of a run that was killed may be half of one.
    return undefined;
  }
}
