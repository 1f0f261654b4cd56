import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { membersOf } from '../../core/objects/members-of.ts';
import { readLines } from '../../platform/files/line-reader.ts';
import type { ImportReject } from './import-reject.ts';

export interface RejectedRecord extends ImportReject {
  readonly line: number;
  /** The last line of the record, if it has several. */
  readonly last_line?: number;
  readonly offset: number;
}

/**
 * A file with one line of JSON for each rejected record. A line is written before its batch is committed, so an import
 * that is killed may leave surplus lines. They are removed when the import is resumed.
 */
export class RejectFile {
  readonly #path: string;
  #file: FileHandle | undefined;
  #length = 0;

  private constructor(path: string) {
    this.#path = path;
  }

  /** Prepares a new file, which is created with the first line. An existing file is not overwritten. */
  static async begin(path: string): Promise<RejectFile> {
    if ((await lstat(path).catch(onlyIfAbsent)) !== undefined) throw existsAlready(path);
    return new RejectFile(path);
  }

  /** Opens an existing file and keeps the entries of lines that have been processed. */
  static async resume(path: string, linesDealtWith: number): Promise<RejectFile> {
    const file = new RejectFile(path);
    // A link could point to any of the operator's files, which would be truncated after the kept lines.
    file.#file = await open(path, constants.O_RDWR | constants.O_NOFOLLOW).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ELOOP') throw new Error(`${path} is a symbolic link. Name the file itself with --rejects.`);
      return onlyIfAbsent(error);
    });
    try {
      await file.#skip(linesDealtWith);
    } catch (error) {
      await file.close();
      throw error;
    }
    return file;
  }

  /** Writes the lines of a batch. If its transaction is retried, writing them again has the same result. */
  async write(rejects: readonly RejectedRecord[]): Promise<number> {
    if (rejects.length === 0) return this.#length;
    // The file is not readable by others. It contains no values, but it reveals which ids exist.
    this.#file ??= await open(this.#path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST' ? existsAlready(this.#path) : error;
    });
    const bytes = Buffer.from(rejects.map((reject) => `${JSON.stringify(reject)}\n`).join(''));
    const { bytesWritten } = await this.#file.write(bytes, 0, bytes.length, this.#length);
    if (bytesWritten < bytes.length)
      throw new Error(`${this.#path} could not be written completely. Is the disk full?`);
    await this.#file.truncate(this.#length + bytes.length);
    await this.#file.datasync();
    return this.#length + bytes.length;
  }

  /** Keeps the lines of a committed batch. */
  keep(length: number): void {
    this.#length = length;
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  async #skip(linesDealtWith: number): Promise<void> {
    let isFirst = true;
    for await (const text of readLines(this.#path)) {
      if (isFirst && !text.startsWith(rejectStart)) throw notOurs(this.#path);
      isFirst = false;
      const line = lineOf(text);
      if (line === undefined || line > linesDealtWith) break;
      this.#length += Buffer.byteLength(text) + 1;
    }
  }
}

/** The start of each line of such a file, even of an incomplete line. */
const rejectStart = '{"line":';

function onlyIfAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function existsAlready(path: string): Error {
  return new Error(`${path} already exists. Move it, or name another file with --rejects.`);
}

function notOurs(path: string): Error {
  return new Error(
    `${path} does not contain the rejects of an import. Name the --rejects file that the import was started with.`,
  );
}

function lineOf(text: string): number | undefined {
  try {
    const { line } = membersOf(JSON.parse(text));
    return typeof line === 'number' ? line : undefined;
  } catch {
    // The last line of a killed run may be incomplete.
    return undefined;
  }
}
