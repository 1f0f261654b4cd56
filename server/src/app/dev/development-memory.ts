import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '../../core/errors/thrown.ts';
import { generateRootKey, parseRootKey } from '../../platform/keyring/kms/file/file-root-key.ts';
import type { DevelopmentTenant } from '../seed/development-tenant.ts';

/** The state that a data directory keeps between runs. It contains secrets, so it is for development only. */
interface Remembered {
  readonly databasePassword: string;
  readonly rootKey: string;
  readonly tenant?: DevelopmentTenant;
}

/** The secrets of a data directory. Without a data directory, they last only as long as the process. */
export class DevelopmentMemory {
  #remembered: Remembered;
  readonly #file: string | undefined;

  static async open(directory: string | undefined): Promise<DevelopmentMemory> {
    const fresh: Remembered = { databasePassword: crypto.randomUUID(), rootKey: generateRootKey() };
    if (directory === undefined) return new DevelopmentMemory(fresh, undefined);

    await mkdir(directory, { recursive: true });
    const file = path.join(directory, 'strongroom-dev.json');
    const kept = await readRemembered(file);
    const memory = new DevelopmentMemory(kept ?? fresh, file);
    // The root key is stored before anything is encrypted with it.
    if (kept === undefined) await memory.#write();
    return memory;
  }

  private constructor(remembered: Remembered, file: string | undefined) {
    this.#remembered = remembered;
    this.#file = file;
  }

  get databasePassword(): string {
    return this.#remembered.databasePassword;
  }

  get rootKey(): string {
    return this.#remembered.rootKey;
  }

  get tenant(): DevelopmentTenant | undefined {
    return this.#remembered.tenant;
  }

  async rememberTenant(tenant: DevelopmentTenant): Promise<void> {
    this.#remembered = { ...this.#remembered, tenant };
    await this.#write();
  }

  async #write(): Promise<void> {
    if (this.#file === undefined) return;
    // The file is replaced atomically, because a partial write would lose the only copy of the root key.
    await writeFile(`${this.#file}.new`, `${JSON.stringify(this.#remembered, null, 2)}\n`, { mode: 0o600 });
    await rename(`${this.#file}.new`, this.#file);
  }
}

/** Returns undefined if there is no file yet. An unreadable file is never treated as missing. */
async function readRemembered(file: string): Promise<Remembered | undefined> {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by an earlier run.
    const remembered = JSON.parse(await readFile(file, 'utf8')) as Remembered;
    if (parseRootKey(remembered.rootKey) === undefined) throw new Error('It does not contain a valid root key.');
    return remembered;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new Error(`${file} cannot be read. Restore it, or remove the directory to start over.`, { cause: error });
  }
}
