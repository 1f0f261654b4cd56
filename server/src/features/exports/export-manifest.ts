import type { FileHandle } from 'node:fs/promises';

/** The header of an export, in the first line of the export and of its manifest. */
export interface ExportHead {
  readonly version: 1;
  readonly export_id: string;
  readonly tenant_id: string;
  readonly created_at: string;
  readonly recipient: string;
}

/**
 * Formats the first line of an export. It is the only line that is not a token, and the only one that contains the key
 * of the hashes.
 */
export function toHeadLine(head: ExportHead, rowKey: string): string {
  return JSON.stringify({ strongroom_export: { ...head, row_key: rowKey } });
}

/**
 * Writes the manifest as JSON lines, in the order of the export. First comes a header, then the id and hash of each
 * row, and last the number of rows and the SHA-256 of the encrypted file. The manifest contains no values, and its
 * hashes reveal nothing without the key.
 */
export class ManifestWriter {
  readonly #file: FileHandle;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Writes the header. The caller keeps ownership of the file. */
  static async begin(file: FileHandle, head: ExportHead): Promise<ManifestWriter> {
    await file.appendFile(`${JSON.stringify({ strongroom_manifest: head })}\n`);
    return new ManifestWriter(file);
  }

  async add(rows: readonly { readonly id: string; readonly hash: string }[]): Promise<void> {
    await this.#file.appendFile(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  }

  /** Writes the last line. Resolves when the manifest is on disk. */
  async finish(end: { readonly tokens: number; readonly file_sha256: string }): Promise<void> {
    await this.#file.appendFile(`${JSON.stringify({ end })}\n`);
    await this.#file.sync();
  }
}
