import type { Database } from '../../database/database.ts';
import type { ObjectStore } from '../../object-storage/object-store.ts';
import type { AuditSigner } from '../../keyring/sealing/audit-signer.ts';
import { sha256 } from '../../keyring/sealing/sha256.ts';
import { firstOrder } from '../seal/audit-record.ts';
import type { StoredCheckpoint } from '../seal/checkpoint-row.ts';
import { damagedMonth } from '../seal/seal-store.ts';
import { listMonthBounds, type MonthBounds } from '../verify/log-months.ts';
import { LogReader } from '../verify/log-reader.ts';
import { type ArchivedSection, Compressor, toArchiveLines } from './archive-lines.ts';
import { type ArchivedFile, type Manifest, manifestName, toManifestText } from './archive-manifest.ts';
import { isWhole } from './section-check.ts';

/** The size at which another file is begun, before compression. A file is read into memory as a whole. */
const textBytesMax = 16 * 1024 * 1024;

export interface ArchiveParts {
  readonly store: ObjectStore;
  readonly database: Database;
  readonly signer: AuditSigner;
  readonly onProgress?: (records: number) => void;
}

/** Writes the files of a month, and after them the signed list of the files. Checks each section before it is written. */
export async function writeMonth(parts: ArchiveParts, month: string): Promise<Manifest> {
  const files: ArchivedFile[] = [];
  for (const bounds of await listMonthBounds(parts.database, `${month}-01`)) {
    files.push(...(await writeTenant(parts, bounds)));
  }
  const manifest = { month, public_key: parts.signer.publicKey.toString('base64'), files };
  await parts.store.put(`${month}/${manifestName}`, Buffer.from(toManifestText(manifest, parts.signer)));
  return manifest;
}

async function writeTenant(
  { store, database, signer, onProgress }: ArchiveParts,
  { tenantId, month, first, last }: MonthBounds,
): Promise<ArchivedFile[]> {
  // This reads the database only, never an older archive.
  const reader = new LogReader(database);
  const files: ArchivedFile[] = [];
  let part: Part | undefined;
  let before = await reader.checkpointBefore(tenantId, first);
  const storePart = async (finished: Part) => {
    const name = `${tenantId}-${String(files.length + 1).padStart(5, '0')}.ndjson.gz`;
    const { content, file } = await finished.finish(name);
    await store.put(`${month.slice(0, 7)}/${name}`, content);
    files.push(file);
  };
  for await (const { checkpoint, records } of reader.sections(tenantId, first - 1)) {
    if (checkpoint.number > last) break;
    if (checkpoint.month === month) {
      // The vault signs only what it has verified. Otherwise an archive would make a damaged log look genuine.
      if (records === 'dropped' || !isWhole({ before, checkpoint, records }, signer.publicKey)) {
        throw damagedMonth(tenantId, month.slice(0, 7));
      }
      part ??= new Part(tenantId);
      await part.add({ before, checkpoint, records });
      onProgress?.(records.length);
      if (part.textBytes >= textBytesMax) {
        await storePart(part);
        part = undefined;
      }
    }
    before = checkpoint;
  }
  if (part !== undefined) await storePart(part);
  return files;
}

/** A file while it is written. */
class Part {
  readonly #tenantId: string;
  readonly #compressor = new Compressor();
  #first: ArchivedSection | undefined;
  #newest: StoredCheckpoint | undefined;
  #records = 0;

  constructor(tenantId: string) {
    this.#tenantId = tenantId;
  }

  get textBytes(): number {
    return this.#compressor.textBytes;
  }

  async add(section: ArchivedSection): Promise<void> {
    const isNext = section.before !== undefined && this.#newest?.number === section.before.number;
    await this.#compressor.add(toArchiveLines(section, isNext));
    this.#first ??= section;
    this.#newest = section.checkpoint;
    this.#records += section.records.length;
  }

  async finish(name: string): Promise<{ readonly content: Buffer; readonly file: ArchivedFile }> {
    if (this.#first === undefined || this.#newest === undefined) throw new Error('The file is empty.');
    const content = await this.#compressor.finish();
    const file = {
      name,
      tenant_id: this.#tenantId,
      bytes: content.length,
      sha256: sha256(content).toString('hex'),
      text_bytes: this.textBytes,
      records: this.#records,
      first: this.#first.checkpoint.number,
      last: this.#newest.number,
      order_from: this.#first.before?.orderTo ?? firstOrder,
      order_to: this.#newest.orderTo,
      root: this.#newest.root.toString('base64'),
    };
    return { content, file };
  }
}
