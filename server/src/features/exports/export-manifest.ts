import { createWriteStream, type WriteStream } from 'node:fs';
import { once } from 'node:events';

/** What an export is, in the first line of the export and of its manifest. */
export interface ExportHead {
  readonly version: 1;
  readonly export_id: string;
  readonly tenant_id: string;
  readonly created_at: string;
  readonly recipient: string;
}

/** The first line of an export. It is the only one that is no token, and the only place where the key of the hashes is. */
export function toHeadLine(head: ExportHead, rowKey: string): string {
  return JSON.stringify({ strongroom_export: { ...head, row_key: rowKey } });
}

/**
 * The manifest: lines of JSON, in the order of the export. First what it is, then the id and the hash of each row, at last
 * how many there are and the SHA-256 of the encrypted file. It holds no values, and its hashes say nothing without the key.
 */
export class ManifestWriter {
  readonly #stream: WriteStream;

  constructor(path: string, head: ExportHead) {
    this.#stream = createWriteStream(path, { flags: 'wx', mode: 0o600 });
    // Asked for at the next write; until then a failure must not end the process.
    this.#stream.on('error', () => undefined);
    this.#stream.write(`${JSON.stringify({ strongroom_manifest: head })}\n`);
  }

  async add(rows: readonly { readonly id: string; readonly hash: string }[]): Promise<void> {
    if (this.#stream.errored !== null) throw this.#stream.errored;
    const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    if (!this.#stream.write(text)) await once(this.#stream, 'drain');
  }

  async finish(end: { readonly tokens: number; readonly file_sha256: string }): Promise<void> {
    this.#stream.end(`${JSON.stringify({ end })}\n`);
    await once(this.#stream, 'finish');
  }

  abandon(): void {
    this.#stream.destroy();
  }
}
