import { type FileHandle, open, readdir, rename, unlink } from 'node:fs/promises';
import path from 'node:path';
import type { FileStreamConfig } from '../../../platform/config/log-stream-config.ts';
import type { EncodedLine } from '../format/encoded-line.ts';
import type { StreamDestination } from './stream-destination.ts';

const tailBytes = 64 * 1024;
const lineFeed = 0x0a;

/** Appends lines to a file, which is renamed when it is large enough. Lines are accepted when they are on the disk. */
export class FileDestination implements StreamDestination {
  readonly #config: FileStreamConfig;

  constructor(config: FileStreamConfig) {
    this.#config = config;
  }

  async send(lines: readonly EncodedLine[]): Promise<void> {
    const content = Buffer.from(lines.map(({ json }) => `${json}\n`).join(''), 'utf8');
    const size = await this.#append(content, { isRotated: false });
    if (size === undefined) {
      await this.#rotate();
      await this.#append(content, { isRotated: true });
    }
  }

  /** The file is open only while it is written. */
  close(): void {}

  /** Returns the new size, or undefined if the file is full and nothing was written. */
  async #append(content: Buffer, { isRotated }: { readonly isRotated: boolean }): Promise<number | undefined> {
    const file = await open(this.#config.path, 'a+', 0o600);
    try {
      const size = await endOfLines(file);
      // A line that a crash cut short is sent again as a whole.
      await file.truncate(size);
      if (!isRotated && size > 0 && size + content.length > this.#config.rotateBytes) return undefined;
      await file.appendFile(content);
      await file.sync();
      if (size === 0) await syncFolder(path.dirname(this.#config.path));
      return size + content.length;
    } finally {
      await file.close();
    }
  }

  /** Renames the file by the time, and removes the oldest ones. */
  async #rotate(): Promise<void> {
    const { path: file, filesMax } = this.#config;
    const folder = path.dirname(file);
    const prefix = `${path.basename(file)}.`;
    await rename(file, `${file}.${new Date().toISOString().replaceAll(/[:.]/g, '-')}`);
    const names = await readdir(folder);
    const rotated = names.filter(
      (name) => name.startsWith(prefix) && /^\d{4}-\d\d-\d\dT[\d-]{12}Z$/.test(name.slice(prefix.length)),
    );
    const surplus = rotated.toSorted().slice(0, Math.max(rotated.length - filesMax, 0));
    for (const name of surplus) await unlink(path.join(folder, name));
    await syncFolder(folder);
  }
}

/** Returns where the last complete line of a file ends. */
async function endOfLines(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  for (let end = size; end > 0; end -= Math.min(tailBytes, end)) {
    const start = Math.max(end - tailBytes, 0);
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(end - start), position: start });
    const last = buffer.subarray(0, bytesRead).lastIndexOf(lineFeed);
    if (last >= 0) return start + last + 1;
  }
  return 0;
}

/** Makes a new name durable, not only its content. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
