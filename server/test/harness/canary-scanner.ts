import type { Dirent } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import path from 'node:path';

/** A value that must not be found, in any of the forms in which it could have been written. */
export interface Canary {
  readonly name: string;
  readonly bytes: Buffer;
}

interface Needle {
  readonly name: string;
  readonly bytes: Buffer;
}

const blockLength = 4;
const chunkLength = 4 * 1024 * 1024;

/**
 * Searches for many canaries at once (after Wu and Manber). Every needle has at least `shortest` bytes. Therefore, each
 * needle that occurs in the text contains at least one of the four-byte blocks at every (shortest − 3)th position. The
 * scan compares only those blocks, so a gigabyte takes about a second.
 */
export class CanaryScanner {
  readonly #stride: number;
  readonly #longest: number;
  readonly #blocks = new Map<number, { needle: Needle; offset: number }[]>();
  readonly #isPossible = new Uint8Array(65_536);

  constructor(canaries: readonly Canary[]) {
    const needles = canaries.flatMap(listForms);
    const lengths = needles.map(({ bytes }) => bytes.length);
    const shortest = Math.min(...lengths);
    if (shortest < 16) throw new Error('A canary is so short that it could be found by chance.');
    this.#longest = Math.max(...lengths);
    this.#stride = shortest - blockLength + 1;
    for (const needle of needles) {
      for (let offset = 0; offset < this.#stride; offset += 1) this.#addBlock(needle, offset);
    }
  }

  /** Returns the names and forms of the canaries that were found: `data as hex`. */
  scan(text: Buffer): string[] {
    const found = new Set<string>();
    const view = new DataView(text.buffer, text.byteOffset, text.byteLength);
    for (let at = 0; at + blockLength <= text.length; at += this.#stride) {
      const block = view.getUint32(at);
      if (this.#isPossible[fold(block)] === 0) continue;
      for (const { needle, offset } of this.#blocks.get(block) ?? []) {
        const start = at - offset;
        if (start >= 0 && text.subarray(start, start + needle.bytes.length).equals(needle.bytes))
          found.add(needle.name);
      }
    }
    return [...found];
  }

  /**
   * Scans every file below a directory and returns matches as `<path>: <name>`. Files that vanish
   * during the scan are skipped.
   */
  async scanDirectory(directory: string): Promise<{ readonly files: number; readonly found: readonly string[] }> {
    const entries = await listFiles(directory);
    const buffer = Buffer.alloc(this.#longest + chunkLength);
    const found: string[] = [];
    let files = 0;
    for (const entry of entries.filter((entry) => entry.isFile())) {
      const file = path.join(entry.parentPath, entry.name);
      const names = await this.#scanFile(file, buffer).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
        return [];
      });
      files += 1;
      found.push(...names.map((name) => `${path.relative(directory, file)}: ${name}`));
    }
    return { files, found };
  }

  /**
   * Reads the file in chunks. Each chunk follows the end of the previous one in the buffer, so matches
   * across a boundary are found.
   */
  async #scanFile(file: string, buffer: Buffer): Promise<string[]> {
    const handle = await open(file);
    const found = new Set<string>();
    try {
      let kept = 0;
      for (;;) {
        const { bytesRead } = await handle.read(buffer, kept, chunkLength);
        if (bytesRead === 0) return [...found];
        for (const name of this.scan(buffer.subarray(0, kept + bytesRead))) found.add(name);
        const end = kept + bytesRead;
        kept = Math.min(end, this.#longest - 1);
        buffer.copy(buffer, 0, end - kept, end);
      }
    } finally {
      await handle.close();
    }
  }

  #addBlock(needle: Needle, offset: number): void {
    const block = needle.bytes.readUInt32BE(offset);
    this.#isPossible[fold(block)] = 1;
    this.#blocks.set(block, [...(this.#blocks.get(block) ?? []), { needle, offset }]);
  }
}

function fold(block: number): number {
  return (block ^ (block >>> 16)) & 0xff_ff;
}

function listForms({ name, bytes }: Canary): Needle[] {
  const hex = bytes.toString('hex');
  const wide = Buffer.from(bytes.toString('latin1'), 'utf16le');
  const forms: [string, Buffer][] = [
    ['it is', bytes],
    ['utf-16le', wide],
    ['utf-16be', Buffer.from(wide).swap16()],
    ['hex', Buffer.from(hex)],
    ['upper-case hex', Buffer.from(hex.toUpperCase())],
    ...[0, 1, 2].flatMap((shift) =>
      (['base64', 'base64url'] as const).map((encoding): [string, Buffer] => [
        `${encoding} at ${shift}`,
        Buffer.from(encodeShifted(bytes, shift, encoding)),
      ]),
    ),
  ];
  return forms.map(([form, formed]) => ({ name: `${name} as ${form}`, bytes: formed }));
}

/**
 * Returns the Base64 encoding of the bytes if `shift` other bytes precede them, without the characters that depend on
 * neighbouring bytes.
 */
function encodeShifted(bytes: Buffer, shift: number, encoding: 'base64' | 'base64url'): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString(encoding);
  return text.slice(Math.ceil((shift * 4) / 3), Math.floor(((shift + bytes.length) * 4) / 3));
}

const attemptsMax = 20;

/**
 * Lists the files, and retries if a directory vanishes. Other tests may drop a database of the same PostgreSQL during
 * the listing.
 */
async function listFiles(directory: string): Promise<Dirent[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await readdir(directory, { recursive: true, withFileTypes: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === attemptsMax) throw error;
    }
  }
}
