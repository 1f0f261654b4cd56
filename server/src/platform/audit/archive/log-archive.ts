import { OperatorError } from '../../../core/errors/operator-error.ts';
import type { ObjectStore } from '../../object-storage/object-store.ts';
import { sha256 } from '../../keyring/sealing/sha256.ts';
import { type ArchivedSection, decompress, parseArchiveLines } from './archive-lines.ts';
import { type ArchivedFile, type Manifest, manifestBytesMax, manifestName, parseManifest } from './archive-manifest.ts';
import { isWhole } from './section-check.ts';

/** A file that differs from what the vault has signed, or that is missing. */
export class DamagedArchiveError extends OperatorError {}

/** A file, with the month that it belongs to, such as `2026-05`. */
export type FileOfMonth = ArchivedFile & { readonly month: string };

/** This is enough for three hundred years. */
const monthsMax = 4_000;
/** The number of files whose sections are kept in memory. Two overlapping months need two. */
const filesKeptMax = 2;

/** Reads archived months. Everything is checked against the signature before it is returned. */
export class LogArchive {
  readonly #store: ObjectStore;
  readonly #publicKey: Buffer;
  readonly #kept = new Map<string, readonly ArchivedSection[]>();
  readonly #verified = new Set<string>();
  #files: Promise<readonly FileOfMonth[]> | undefined;
  #damages: string[] | undefined;

  constructor(store: ObjectStore, publicKey: Buffer) {
    this.#store = store;
    this.#publicKey = publicKey;
  }

  get name(): string {
    return this.#store.name;
  }

  /**
   * Lets a verification go on after damage, as if what is damaged were not there. The returned list is filled with what
   * was found.
   */
  collectDamages(): readonly string[] {
    this.#damages ??= [];
    return this.#damages;
  }

  /** Lists the files of a tenant, or of all, oldest month first. */
  async listFiles(tenantId?: string): Promise<readonly FileOfMonth[]> {
    this.#files ??= this.#readManifests();
    const files = await this.#files;
    return tenantId === undefined ? files : files.filter((file) => file.tenant_id === tenantId);
  }

  /** Returns undefined if there is no archive of the month. */
  async readManifest(month: string): Promise<Manifest | undefined> {
    const content = await this.#store.get(`${month}/${manifestName}`, manifestBytesMax);
    if (content === undefined) return undefined;
    const manifest = parseManifest(content.toString('latin1'), month, this.#publicKey);
    if (manifest === undefined) {
      throw new DamagedArchiveError(`The manifest of ${month} in ${this.name} is not what this vault has signed.`);
    }
    return manifest;
  }

  /** Returns the sections of a file. Throws if they are not what was sealed. */
  async readFile(file: FileOfMonth): Promise<readonly ArchivedSection[]> {
    const key = `${file.month}/${file.name}`;
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const sections = await this.orDamage([], () => this.#readSections(file));
    this.#verified.add(key);
    if (this.#kept.size >= filesKeptMax) this.#kept.delete([...this.#kept.keys()][0] ?? '');
    this.#kept.set(key, sections);
    return sections;
  }

  /** Reads the files of a tenant, or of all, that were not read before. Returns how many files there are. */
  async verifyFiles(tenantId: string | undefined): Promise<number> {
    const files = await this.listFiles(tenantId);
    await this.#verify(files);
    return files.length;
  }

  /** Reads the files of a month that were not read before. Throws if one of them is missing or damaged. */
  async verifyMonth({ month, files }: Manifest): Promise<void> {
    await this.#verify(files.map((file) => ({ ...file, month })));
  }

  async #verify(files: readonly FileOfMonth[]): Promise<void> {
    for (const file of files) if (!this.#verified.has(`${file.month}/${file.name}`)) await this.readFile(file);
  }

  /** Throws, or goes on with `otherwise` if damages are collected. */
  async orDamage<T>(otherwise: T, read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (this.#damages === undefined || !(error instanceof DamagedArchiveError)) throw error;
      if (!this.#damages.includes(error.message)) this.#damages.push(error.message);
      return otherwise;
    }
  }

  close(): void {
    this.#store.close();
  }

  async #readManifests(): Promise<readonly FileOfMonth[]> {
    const folders = await this.#store.listFolders(monthsMax);
    const files: FileOfMonth[] = [];
    for (const month of folders.filter((name) => /^\d{4}-\d{2}$/.test(name)).toSorted()) {
      const manifest = await this.orDamage(undefined, () => this.readManifest(month));
      for (const file of manifest?.files ?? []) files.push({ ...file, month });
    }
    return files;
  }

  async #readSections(file: FileOfMonth): Promise<readonly ArchivedSection[]> {
    const damaged = (how: string) => new DamagedArchiveError(`${file.month}/${file.name} in ${this.name} ${how}.`);
    const content = await this.#store.get(`${file.month}/${file.name}`, file.bytes).catch((error: unknown) => {
      throw error instanceof OperatorError ? damaged(`cannot be read: ${error.message}`) : error;
    });
    if (content === undefined) throw damaged('is missing');
    if (sha256(content).toString('hex') !== file.sha256) throw damaged('was changed after it was written');
    const text = decompress(content, file.text_bytes);
    const sections = text === undefined ? undefined : parseArchiveLines(text);
    const isAsSealed =
      sections?.every(
        (section) => section.checkpoint.tenantId === file.tenant_id && isWhole(section, this.#publicKey),
      ) === true;
    if (sections === undefined || !isAsSealed) throw damaged('does not match what was sealed');
    return sections;
  }
}
